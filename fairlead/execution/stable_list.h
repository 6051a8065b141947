// A list that grows while others read what they know to be in it: what it holds never moves.
//
// One thread at a time adds. Others may read any entry that they were told of by something that
// synchronises with its adding; size() alone tells of no entry's contents.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <memory>
#include <utility>

namespace fairlead {

template <typename Entry>
class StableList {
 public:
  StableList() = default;
  StableList(const StableList&) = delete;
  StableList& operator=(const StableList&) = delete;

  std::size_t size() const { return size_.load(std::memory_order_acquire); }
  bool empty() const { return size() == 0; }
  Entry& operator[](std::size_t index) { return At(index); }
  const Entry& operator[](std::size_t index) const { return At(index); }

  Entry& Add(Entry entry) {
    const std::size_t index = size_.load(std::memory_order_relaxed);
    const std::size_t piece = PieceOf(index);
    if (pieces_[piece] == nullptr) pieces_[piece] = std::make_unique<Entry[]>(kFirst << piece);
    At(index) = std::move(entry);
    size_.store(index + 1, std::memory_order_release);
    return At(index);
  }

  // Nobody was told of it.
  void RemoveLast() {
    const std::size_t index = size_.load(std::memory_order_relaxed) - 1;
    At(index) = Entry{};
    size_.store(index, std::memory_order_release);
  }

  class Iterator {
   public:
    Iterator(const StableList* list, std::size_t index) : list_(list), index_(index) {}
    const Entry& operator*() const { return (*list_)[index_]; }
    Iterator& operator++() {
      ++index_;
      return *this;
    }
    bool operator==(const Iterator& other) const { return index_ == other.index_; }

   private:
    const StableList* list_;
    std::size_t index_;
  };
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size()}; }

 private:
  // Pieces of 16, 32, 64, ... entries.
  static constexpr std::size_t kFirst = 16;

  static std::size_t PieceOf(std::size_t index) {
    return static_cast<std::size_t>(std::bit_width(index / kFirst + 1)) - 1;
  }
  Entry& At(std::size_t index) const {
    const std::size_t piece = PieceOf(index);
    return pieces_[piece][index - kFirst * ((std::size_t{1} << piece) - 1)];
  }

  std::array<std::unique_ptr<Entry[]>, 32> pieces_;
  std::atomic<std::size_t> size_ = 0;
};

}  // namespace fairlead
