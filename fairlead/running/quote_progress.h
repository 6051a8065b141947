// How far a search has come whose runs are not all known beforehand: when more are needed than were
// expected, the share falls back.
#pragma once

#include <atomic>
#include <functional>
#include <utility>
#include <vector>

namespace fairlead {

class QuoteProgress {
 public:
  // `expected` runs in all, perhaps fewer. `progressed` may be empty.
  QuoteProgress(std::size_t expected, std::function<void(double share)> progressed)
      : shares_(expected), progressed_(std::move(progressed)) {}

  // So many more, perhaps fewer. Not while runs are under way.
  void Expect(std::size_t more) {
    std::vector<std::atomic<double>> shares(begun_ + more);
    for (std::size_t i = 0; i < begun_; ++i) shares[i] = 1;
    shares_.swap(shares);
  }

  // For the next `runs` runs: takes their number and share, from any thread.
  std::function<void(std::size_t, double)> Next(std::size_t runs) {
    const std::size_t first = begun_;
    begun_ += runs;
    return [this, first](std::size_t run, double share) {
      if (!progressed_ || first + run >= shares_.size()) return;
      shares_[first + run] = share;
      double sum = 0;
      for (const std::atomic<double>& one : shares_) sum += one;
      progressed_(sum / static_cast<double>(shares_.size()));
    };
  }

 private:
  std::vector<std::atomic<double>> shares_;
  std::function<void(double share)> progressed_;
  std::size_t begun_ = 0;
};

}  // namespace fairlead
