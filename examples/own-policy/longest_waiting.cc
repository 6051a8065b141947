// A policy of one's own, as a start for yours: who has waited longest goes first, unless somebody
// is close to the deadline. docs/guide/your-own-policy.md walks through it.
//
//   g++ -std=c++20 -O2 -shared -fPIC -I PATH/TO/fairlead longest_waiting.cc -o longest_waiting.so
//   fairlead simulate SCENARIO.yaml --policy edf-h,./longest_waiting.so:urgent=2ms
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fairlead/world/policy_plugin.h"

namespace {

using namespace fairlead;  // NOLINT: this file is a program of its own

// Options, with their defaults. How they are written and what is allowed stands below.
struct Options {
  Duration urgent = std::chrono::milliseconds{1};
  std::size_t most = 64;
};

OptionTable OptionsOf(Options& options) {
  return {DurationOption("urgent", "who is so close to the deadline goes first", options.urgent,
                         std::chrono::seconds{10}, {"none", "1ms"}),
          CountOption("most", "of those that are ready, so many are looked at", options.most,
                      {.low = 1, .high = 100'000}, {"1", "64"})};
}

class LongestWaiting final : public SchedulingPolicy {
 public:
  LongestWaiting(std::string name, const Options& options)
      : name_(std::move(name)), options_(options) {}

  std::string_view Name() const override { return name_; }

  // Called after everything that happened at one instant. What the plan does not mention waits.
  void Decide(const SystemView& view, SchedulingPlan& plan) override {
    // ready() is in no particular order: sort what matters, and break ties by the request's number,
    // so that equal histories give equal plans.
    order_.assign(view.ready().begin(), view.ready().end());
    std::ranges::sort(order_, {}, [&](const ReadySegment& ready) {
      const Job& job = view.job(ready.job);
      const bool relaxed = job.deadline - view.now() > options_.urgent;
      return std::tuple(relaxed, job.arrival, job.request, ready.segment.index());
    });
    if (order_.size() > options_.most) order_.resize(options_.most);

    taken_.assign(view.accelerators().size(), false);
    for (const ReadySegment& ready : order_) {
      const NetworkId network = view.job(ready.job).network;
      std::size_t best = taken_.size();
      Duration shortest{};
      for (std::size_t a = 0; a < taken_.size(); ++a) {
        const AcceleratorState& accelerator = view.accelerators()[a];
        if (taken_[a] || !accelerator.online || accelerator.free_units < accelerator.units)
          continue;
        // What it is believed to take there; null where it cannot run.
        const SegmentCost* cost = view.costs().Alone(network, ready.segment, accelerator.kind);
        if (cost == nullptr) continue;
        if (best == taken_.size() || cost->latency < shortest) {
          best = a;
          shortest = cost->latency;
        }
      }
      if (best == taken_.size()) continue;
      plan.Start(AcceleratorId{best}, ready.job, ready.segment);
      taken_[best] = true;
    }
  }

 private:
  std::string name_;
  Options options_;
  std::vector<ReadySegment> order_;  // of one decision, like the next
  std::vector<bool> taken_;
};

std::unique_ptr<SchedulingPolicy> MakeLongestWaiting(std::string name, const Options& options,
                                                     RandomStream /*random*/) {
  return std::make_unique<LongestWaiting>(std::move(name), options);
}

}  // namespace

FAIRLEAD_POLICY("who has waited longest, unless somebody is close to the deadline",
                MakeLongestWaiting)
