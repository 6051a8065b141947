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

// Rounded up: what takes a whole number of nanoseconds in theory then does so here.
Rate Fraction(Demand part, Demand whole) {
  if (part >= whole) return kFullRate;
  const auto rate = static_cast<Rate>(((Wide{part} << kRateBits) + (whole - 1)) / whole);
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
  explicit MaxMinSharing(Demand bandwidth) : bandwidth_(bandwidth) {}

  void Rates(std::span<const RunningSegment> running, std::span<Rate> rates) override {
    if (TotalDemand(running) <= bandwidth_) return Unshared(running, rates);
    const Demand level = WaterLevel(running);
    for (std::size_t i = 0; i < running.size(); ++i)
      rates[i] = Fraction(std::min(Effective(running[i]), level), running[i].demand);
  }

 private:
  // The largest grant that anybody gets: demands below it are served in full.
  Demand WaterLevel(std::span<const RunningSegment> running) {
    demands_.clear();
    for (const RunningSegment& segment : running) demands_.push_back(Effective(segment));
    std::ranges::sort(demands_);
    Demand left = bandwidth_;
    std::size_t sharers = demands_.size();
    for (Demand demand : demands_) {
      const Demand share = left / sharers;
      if (demand > share) return share;
      left -= demand;
      --sharers;
    }
    return left;
  }

  Demand bandwidth_;
  std::vector<Demand> demands_;  // scratch
};

}  // namespace

Demand DemandOf(std::int64_t bytes, Duration latency) {
  if (bytes == 0) return 0;
  CHECK(bytes > 0 && latency > Duration::zero());
  const Wide scaled = (Wide{static_cast<std::uint64_t>(bytes)} * 1'000'000'000) << kDemandBits;
  const auto time = static_cast<std::uint64_t>(latency.count());
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
