// One budget of memory for all that clients have in flight: bodies and messages, what is unpacked
// and read of them, replies that wait to be read.
//
// A request asks before it takes memory, and is refused where there is none. Two rules keep one
// client from taking all of it: a tenant never holds more than what is left free, and an address
// never more than three times that. One greedy tenant so gets half, two get a third each, and there
// is always room for one that comes later. A part is kept for operators and health checks.
//
// From any thread. A share must not outlive its budget.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace fairlead {

// What a connection holds of the budget whatever it does; small bodies fit into it.
inline constexpr std::int64_t kStanding = 32 << 10;  // bytes
// A body is there twice: as it came, and as tensors.
inline constexpr std::int64_t MemoryFor(std::int64_t body) { return kStanding + 2 * body; }

// For whom memory is taken.
struct MemoryHolder {
  std::string tenant;
  std::string address;
  bool reserved = false;  // may take what is kept for operators
};

class MemoryBudget {
 public:
  explicit MemoryBudget(std::int64_t total) : total_(total) {}
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  // A quarter of the machine's memory.
  static std::int64_t Default();

  // What one request, or one connection, holds. Gives it back when it goes.
  class Share {
   public:
    Share() = default;
    Share(Share&& other) noexcept { swap(other); }
    Share& operator=(Share&& other) noexcept {
      swap(other);
      return *this;
    }
    ~Share() { Close(); }

    bool open() const { return budget_ != nullptr; }
    std::int64_t bytes() const { return bytes_; }
    const std::string& tenant() const { return tenant_->first; }
    // Holds so much from now on. Less is always granted; false: more is not, and nothing changed.
    bool Hold(std::int64_t bytes);
    // The same for what is there already: later requests wait for it.
    void MustHold(std::int64_t bytes);
    void Close();

   private:
    friend class MemoryBudget;
    using Account = std::pair<const std::string, std::pair<std::int64_t, int>>;  // bytes, shares
    void swap(Share& other) noexcept {
      std::swap(budget_, other.budget_);
      std::swap(tenant_, other.tenant_);
      std::swap(address_, other.address_);
      std::swap(bytes_, other.bytes_);
      std::swap(reserved_, other.reserved_);
    }
    MemoryBudget* budget_ = nullptr;
    Account* tenant_ = nullptr;
    Account* address_ = nullptr;
    std::int64_t bytes_ = 0;
    bool reserved_ = false;
  };

  // Holds nothing yet.
  Share Open(const MemoryHolder& holder);

  // Calls back when the share may hold so much, and does: at once, or by the thread that gives back
  // what was missing. First come, first served within a tenant. False: too many wait, and nothing
  // happens. Who does not want to wait any more calls Forget with the same share, which stays where
  // it is meanwhile.
  bool Wait(Share& share, std::int64_t bytes, std::function<void()> granted);
  // False where it does not wait (any more): it has been called back, or is about to be.
  bool Forget(const Share& share);

  std::int64_t total() const { return total_; }
  std::int64_t used() const;
  std::uint64_t refusals() const;

 private:
  static constexpr std::size_t kMostWaiting = 4096;
  struct Waiting {
    Share* share;
    std::int64_t bytes;
    std::function<void()> granted;
  };

  // With the lock, as are the next two.
  bool Fits(const Share& share, std::int64_t more) const;
  void Add(Share& share, std::int64_t more);
  std::list<Waiting> WhoFits();
  void GiveBack(Share& share, std::int64_t bytes);

  const std::int64_t total_;
  mutable std::mutex mutex_;  // guards all below
  std::int64_t used_ = 0;
  std::uint64_t refusals_ = 0;
  std::map<std::string, std::pair<std::int64_t, int>> tenants_;
  std::map<std::string, std::pair<std::int64_t, int>> addresses_;
  std::list<Waiting> waiting_;
};

}  // namespace fairlead
