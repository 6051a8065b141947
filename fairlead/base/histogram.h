// A histogram of non-negative values with a relative error below 2 %: quantiles of things that are
// too many to keep, such as decision times. Adding is O(1) and allocates nothing.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace fairlead {

class Histogram {
 public:
  void Add(std::uint64_t value) {
    ++buckets_[BucketOf(value)];
    ++count_;
    if (value > max_) max_ = value;
  }
  // All that the other has counted.
  void Add(const Histogram& other) {
    for (std::size_t i = 0; i < buckets_.size(); ++i) buckets_[i] += other.buckets_[i];
    count_ += other.count_;
    if (other.max_ > max_) max_ = other.max_;
  }
  std::uint64_t count() const { return count_; }
  std::uint64_t max() const { return max_; }

  // The smallest bucket's upper end below which a share q of the values lies; 0 when empty.
  std::uint64_t Quantile(double q) const {
    if (count_ == 0) return 0;
    const double wanted = q * static_cast<double>(count_);
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      seen += buckets_[i];
      if (static_cast<double>(seen) >= wanted && seen > 0)
        return UpperEnd(i) < max_ ? UpperEnd(i) : max_;
    }
    return max_;
  }

 private:
  // Values below 64 have a bucket each; above, each power of two is divided into 64.
  static constexpr int kBits = 6;
  static std::size_t BucketOf(std::uint64_t value) {
    if (value < (1U << kBits)) return value;
    const int shift = static_cast<int>(std::bit_width(value)) - 1 - kBits;
    return (static_cast<std::size_t>(shift + 1) << kBits) +
           ((value >> shift) & ((1U << kBits) - 1));
  }
  static std::uint64_t UpperEnd(std::size_t bucket) {
    if (bucket < (1U << kBits)) return bucket;
    const int shift = static_cast<int>(bucket >> kBits) - 1;
    const std::uint64_t mantissa = (bucket & ((1U << kBits) - 1)) + (1U << kBits);
    return ((mantissa + 1) << shift) - 1;
  }

  std::array<std::uint64_t, (64 - kBits + 1) << kBits> buckets_{};
  std::uint64_t count_ = 0;
  std::uint64_t max_ = 0;
};

}  // namespace fairlead
