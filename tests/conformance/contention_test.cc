// Lazy contention equals a naive full recomputation, to the nanosecond, in a thousand worlds.
//
// The oracle does not follow the simulator: it takes the finished timeline, cuts it at every start
// and end, computes the rates of each interval anew from the contract's definitions, and adds up
// each segment's progress. A segment must have all its work done at its end, and not yet one
// nanosecond earlier.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "tests/conformance/random_world.h"
#include "tests/support/simulated_run.h"

namespace fairlead::testing {
namespace {

__extension__ using Wide = unsigned __int128;

// Written from the contract, without looking at the simulator's: demands in 2^-10 bytes per
// second, rates in 2^-32, rounded up.
std::vector<Wide> NaiveRates(const std::vector<Wide>& demands, Wide bandwidth, Sharing sharing) {
  constexpr Wide kOne = Wide{1} << 32;
  std::vector<Wide> rates(demands.size(), kOne);
  Wide total = 0;
  for (Wide demand : demands) total += demand;
  if (sharing == Sharing::kNone || bandwidth == 0 || total <= bandwidth) return rates;
  if (sharing == Sharing::kProportional) {
    std::fill(rates.begin(), rates.end(), (bandwidth * kOne + total - 1) / total);
    return rates;
  }
  // Water-filling: whoever asks for no more than an equal share of what is left gets it; repeat.
  std::vector<bool> served(demands.size(), false);
  Wide left = bandwidth;
  Wide waiting = demands.size();
  for (bool changed = true; changed;) {
    changed = false;
    const Wide share = left / waiting;
    for (std::size_t i = 0; i < demands.size(); ++i) {
      if (served[i] || demands[i] > share) continue;
      served[i] = true;
      left -= demands[i];
      --waiting;
      changed = true;
      break;  // one at a time, the smallest is certainly among them sooner or later
    }
  }
  for (std::size_t i = 0; i < demands.size(); ++i) {
    if (!served[i]) rates[i] = ((left / waiting) * kOne + demands[i] - 1) / demands[i];
  }
  return rates;
}

// Cost of a stay, with the switching cost where another network ran before on that accelerator, and
// with what it takes to go on there.
struct Work {
  Wide left;
  Wide demand;
};

class Oracle {
 public:
  Oracle(const World& world, const SimulatedRun& run) : world_(world), stays_(run.stays()) {
    std::ranges::stable_sort(stays_, {}, &Stay::start);
  }

  // The number of segments checked; expectations fail where the simulator is wrong.
  std::size_t Check() {
    std::vector<Work> work;
    last_network_.resize(world_.platform.accelerators.size());
    last_request_.resize(world_.platform.accelerators.size());
    for (const Stay& stay : stays_) work.push_back(WorkOf(stay));
    std::set<Instant> cuts;
    for (const Stay& stay : stays_) {
      cuts.insert(stay.start);
      cuts.insert(stay.end);
    }
    for (auto cut = cuts.begin(); cut != cuts.end() && std::next(cut) != cuts.end(); ++cut)
      Advance(work, *cut, *std::next(cut));
    for (std::size_t i = 0; i < stays_.size(); ++i)
      EXPECT_EQ(static_cast<std::uint64_t>(work[i].left), 0U) << "segment " << i << " ended early";
    return stays_.size();
  }

 private:
  // Nobody runs in batches here, or on a part of an accelerator.
  Duration GoingOn(const Stay& stay, KindId kind) {
    const RequestNumber request = stay.requests.front();
    const HandOverCosts& costs = world_.truth->hand_overs();
    Duration time{};
    std::optional<RequestNumber>& last = last_request_[stay.accelerator.index()];
    if (last != request) time += costs.TakeOver(kind);
    last = request;
    for (SegmentId before : world_.networks[stay.network.index()].Predecessors(stay.segment)) {
      const AcceleratorId place = places_.at({request, before});
      if (place == stay.accelerator) continue;
      const MoveCost& move = costs.Move(world_.platform.accelerators[place.index()].kind, kind);
      time += move.For(world_.truth->AliveBytes(stay.network, before));
    }
    places_[{request, stay.segment}] = stay.accelerator;
    return time;
  }

  Work WorkOf(const Stay& stay) {
    const KindId kind = world_.platform.accelerators[stay.accelerator.index()].kind;
    const SegmentCost* cost = world_.truth->Find(
        stay.network, stay.segment, kind, {stay.units, static_cast<int>(stay.requests.size())});
    Duration latency = cost->latency;
    Wide bytes = static_cast<Wide>(cost->dram_bytes);
    NetworkId& last = last_network_[stay.accelerator.index()];
    if (last != stay.network) latency += world_.truth->Switching(kind).latency;
    last = stay.network;
    latency += GoingOn(stay, kind);
    const auto time = static_cast<Wide>(latency.count());
    return {time << 32, bytes == 0 ? 0 : ((bytes * 1'000'000'000 << 10) + time / 2) / time};
  }

  void Advance(std::vector<Work>& work, Instant from, Instant to) {
    std::vector<std::size_t> running;
    std::vector<Wide> demands;
    for (std::size_t i = 0; i < stays_.size(); ++i) {
      if (stays_[i].start > from || stays_[i].end <= from) continue;
      running.push_back(i);
      demands.push_back(work[i].demand);
    }
    const auto rates = NaiveRates(demands, static_cast<Wide>(world_.platform.bandwidth) << 10,
                                  world_.scenario.platform.sharing);
    for (std::size_t r = 0; r < running.size(); ++r) {
      Wide& left = work[running[r]].left;
      const Wide done = rates[r] * static_cast<Wide>((to - from).count());
      if (stays_[running[r]].end == to) {
        EXPECT_TRUE(left + rates[r] > done) << "segment " << running[r] << " ended late";
      }
      left = done >= left ? 0 : left - done;
    }
  }

  const World& world_;
  std::vector<Stay> stays_;
  std::vector<NetworkId> last_network_;                     // per accelerator
  std::vector<std::optional<RequestNumber>> last_request_;  // likewise
  std::map<std::pair<RequestNumber, SegmentId>, AcceleratorId> places_;
};

TEST(Contention, EqualsAFullRecomputationInAThousandWorlds) {
  std::size_t segments = 0;
  std::uint64_t worlds = 0;
  for (std::uint64_t seed = 10'000; worlds < 1000; ++seed) {
    RandomWorldTexts texts = DrawWorld(seed);
    // A lost segment ends before its work is done, and a decision on an accelerator has traffic
    // of its own: those have scenario tests.
    if (texts.scenario.find("changes:") != std::string::npos ||
        texts.scenario.find("decision_charge:") != std::string::npos)
      continue;
    ++worlds;
    const auto world = BuildRandomWorld(texts);
    SimulatedRun run(*world, "edf-h", seed);
    ASSERT_TRUE(run.Run().has_value());
    segments += Oracle(*world, run).Check();
    ASSERT_FALSE(HasFailure()) << "in world " << seed << "\n" << texts.scenario;
  }
  EXPECT_GT(segments, 50'000U);
}

}  // namespace
}  // namespace fairlead::testing
