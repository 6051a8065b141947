// How fast work really goes, as observed: beliefs say what segments take alone on the accelerator
// that suits them best; co-runners, other accelerators, divided units, hand-overs and wrong beliefs
// make it longer.
//
// Two things are learnt. Pace: how much believed work the machine does per unit of time while more
// waits than it can start. Until that was seen often enough, each accelerator is expected to do
// what is believed. Stretch: how many times longer the segments of a network take than is believed.
//
// O(1) per event.
#pragma once

#include <cstdint>
#include <vector>

#include "fairlead/scheduling/event.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

class ObservedPace {
 public:
  // To be told of every event.
  void Observe(const SystemView& view, const Event& event);
  // To be told at every decision.
  void Begin(const SystemView& view);

  // Believed work per unit of time.
  double Pace() const { return finished_ >= kEnough ? work_ / time_ : expected_; }
  double Stretch(NetworkId network) const {
    return network.index() < networks_.size() && networks_[network.index()].finished > 0
               ? networks_[network.index()].took / networks_[network.index()].believed
               : 1;
  }

 private:
  static constexpr double kForgetting = 1.0 / 512;  // with each segment
  static constexpr int kEnough = 64;                // segments

  struct Network {
    double took = 0;
    double believed = 0;
    int finished = 0;
  };

  double expected_ = 1;
  double work_ = 0;  // nanoseconds, alone where it is fastest
  double time_ = 0;  // nanoseconds
  int finished_ = 0;
  bool backlog_ = false;  // since the last decision
  Instant last_{};
  std::vector<Network> networks_;
};

}  // namespace fairlead
