#include "fairlead/interference/interference_model.h"

#include <algorithm>
#include <array>
#include <vector>

#include "fairlead/base/check.h"
#include "fairlead/base/units.h"

namespace fairlead {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::array<std::string_view, 3> kSharingNames = {"none", "proportional", "max-min"};

constexpr Demand kLargestForDouble = Demand{1} << 60;

// Rounded up: what takes a whole number of nanoseconds in theory then does so here.
Rate Fraction(Demand part, Demand whole) {
  if (part >= whole) return kFullRate;
  if (whole > kLargestForDouble) {
    const auto rate = static_cast<Rate>(((Wide{part} << kRateBits) + (whole - 1)) / whole);
    return std::max<Rate>(rate, 1);
  }
  // The same without a division of 128 bits. The estimate is less than one off, so what is left of
  // the dividend fits into 64 bits, whatever overflows on the way, and puts it right.
  const double estimate = static_cast<double>(static_cast<std::int64_t>(part)) *
                          static_cast<double>(kFullRate) /
                          static_cast<double>(static_cast<std::int64_t>(whole));
  auto rate = static_cast<Rate>(static_cast<std::int64_t>(estimate));
  for (auto left = static_cast<std::int64_t>((part << kRateBits) - rate * whole); left > 0;
       left -= static_cast<std::int64_t>(whole))
    ++rate;
  return std::max<Rate>(rate, 1);
}

Demand Effective(const RunningSegment& segment) { return std::min(segment.demand, segment.cap); }

Demand TotalDemand(std::span<const RunningSegment> running) {
  Demand total = 0;
  for (const RunningSegment& segment : running) total += Effective(segment);
  return total;
}

// Everybody gets what it asks for: only its own cap can slow a segment.
void Unshared(std::span<const RunningSegment> running, std::span<Rate> rates) {
  for (std::size_t i = 0; i < running.size(); ++i)
    rates[i] = Fraction(Effective(running[i]), running[i].demand);
}

class NoContention final : public InterferenceModel {
 public:
  void Rates(std::span<const RunningSegment> running, std::span<Rate> rates) override {
    Unshared(running, rates);
  }
};

class ProportionalSharing final : public InterferenceModel {
 public:
  explicit ProportionalSharing(Demand bandwidth) : bandwidth_(bandwidth) {}

  void Rates(std::span<const RunningSegment> running, std::span<Rate> rates) override {
    const Demand total = TotalDemand(running);
    if (total <= bandwidth_) return Unshared(running, rates);
    const Rate common = Fraction(bandwidth_, total);
    for (std::size_t i = 0; i < running.size(); ++i) {
      const RunningSegment& segment = running[i];
      // A capped segment gets its cap's share of the common factor.
      const Rate own = Fraction(Effective(segment), segment.demand);
      rates[i] = static_cast<Rate>((Wide{common} * own + (kFullRate - 1)) >> kRateBits);
    }
  }

 private:
  Demand bandwidth_;
};

class MaxMinSharing final : public InterferenceModel {
 public:
  explicit MaxMinSharing(Demand bandwidth) : bandwidth_(bandwidth), level_(bandwidth) {}

  void Rates(std::span<const RunningSegment> running, std::span<Rate> rates) override {
    demands_.resize(running.size());
    Demand total = 0;
    for (std::size_t i = 0; i < running.size(); ++i) {
      demands_[i] = Effective(running[i]);
      total += demands_[i];
    }
    if (total <= bandwidth_) return Unshared(running, rates);
    level_ = WaterLevel();
    for (std::size_t i = 0; i < running.size(); ++i)
      rates[i] = Fraction(std::min(demands_[i], level_), running[i].demand);
  }

 private:
  // The largest grant that anybody gets: demands up to it are served in full, and those above it
  // share the rest. There is exactly one whole number for which this holds, wherever the search
  // begins, so it begins where the last one ended. This is Newton's method on what is granted as a
  // function of the level, which is concave: from the second step on it never goes down.
  Demand WaterLevel() const {
    Demand level = level_;
    while (true) {
      Demand served = 0;
      std::size_t sharers = 0;
      for (Demand demand : demands_) {
        const bool above = demand > level;
        served += above ? 0 : demand;
        sharers += above ? 1 : 0;
      }
      if (sharers == 0 || served > bandwidth_) {
        level = 0;  // far too high
        continue;
      }
      const Demand share = (bandwidth_ - served) / sharers;
      if (share == level) return level;
      level = share;
    }
  }

  Demand bandwidth_;
  Demand level_;                 // when the bandwidth did not suffice last
  std::vector<Demand> demands_;  // scratch
};

}  // namespace

Demand DemandOf(std::int64_t bytes, Duration latency) {
  if (bytes == 0) return 0;
  CHECK(bytes > 0 && latency > Duration::zero());
  const Wide scaled = (Wide{static_cast<std::uint64_t>(bytes)} * 1'000'000'000) << kDemandBits;
  const auto time = static_cast<std::uint64_t>(latency.count());
  // Mostly 64 bits are enough, and divided faster.
  if (const Wide rounded = scaled + time / 2; rounded <= UINT64_MAX)
    return std::min(static_cast<std::uint64_t>(rounded) / time, UINT64_MAX >> 8);
  return static_cast<Demand>(
      std::min<Wide>((scaled + time / 2) / time, Wide{UINT64_MAX >> 8}));  // sums fit
}

std::string_view ToString(Sharing sharing) {
  return kSharingNames[static_cast<std::size_t>(sharing)];
}

Result<Sharing> ParseSharing(std::string_view text) {
  const auto found = std::ranges::find(kSharingNames, text);
  if (found == kSharingNames.end())
    return Fail("unknown sharing '{}'{}", text, Suggest(text, kSharingNames));
  return static_cast<Sharing>(found - kSharingNames.begin());
}

std::unique_ptr<InterferenceModel> MakeBandwidthSharing(Sharing sharing, std::int64_t bandwidth) {
  CHECK(bandwidth >= 0);
  const Demand limit = static_cast<Demand>(bandwidth) << kDemandBits;
  if (bandwidth == 0 || sharing == Sharing::kNone) return std::make_unique<NoContention>();
  if (sharing == Sharing::kProportional) return std::make_unique<ProportionalSharing>(limit);
  return std::make_unique<MaxMinSharing>(limit);
}

}  // namespace fairlead
