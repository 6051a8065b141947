// Look-ahead: replays the recent requests under several policies, and puts the one in charge that
// would have kept most promises.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fairlead/scheduling/advisor.h"
#include "fairlead/scheduling/run_setup.h"
#include "fairlead/simulation/simulator.h"

namespace fairlead {

struct LookAheadOptions {
  std::vector<std::string> policies;  // the first is in charge at the start
  double first = 4;    // requests per agreement, before the first judgement
  double growth = 1;   // of the requests so far, until the next
  std::size_t window = 8192;  // requests at most
  double margin = 0.25;
};

class LookAhead final : public PolicyAdvisor {
 public:
  using MakeInterference = std::function<std::unique_ptr<InterferenceModel>()>;
  LookAhead(LookAheadOptions options, EngineOptions engine,
            SchedulingEngine::PolicyFactory policies, MakeInterference interference);

  void NoteInput(const Input& input, const SchedulingEngine& engine) override;
  Instant NextTimer() const override { return apply_at_; }
  std::optional<std::string> Advise(const SchedulingEngine& engine) override;

 private:
  double Score(const SchedulingEngine& engine, const std::string& policy);

  LookAheadOptions options_;
  EngineOptions engine_;
  SchedulingEngine::PolicyFactory policies_;
  MakeInterference interference_;
  std::deque<Request> recent_;
  std::uint64_t seen_ = 0;
  std::uint64_t due_ = 0;
  std::string current_;
  std::string next_;
  Instant apply_at_ = kNever;
};

}  // namespace fairlead
