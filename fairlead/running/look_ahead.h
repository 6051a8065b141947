// Look-ahead: simulates what comes next under several policies, and puts the one in charge that
// would keep most promises.
//
// What comes next is taken to be what came last: the recent requests, repeated a few times, on an
// empty machine, with the agreements' books as they stand. Costs are what is believed. A promise
// counts by how likely it is kept after that, and the overall hit rate counts as one more promise.
// The policy in charge is left only for one that is better by a margin.
//
// The first judgement comes soon, and each of the next when as many requests have come as in all
// before, or as many as are remembered: no more judgements than the logarithm of the requests, and
// one for each `most` of them. A request is simulated some `repeats` times per policy and
// judgement.
//
// A simulated run judges at once, and the advice takes effect after the time that the simulated
// segments are charged with, so that it is a function of the run alone. A live run judges on a
// thread of its own, and takes the advice when it is there.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/time.h"
#include "fairlead/domain/request.h"
#include "fairlead/interference/interference_model.h"
#include "fairlead/scheduling/advisor.h"
#include "fairlead/scheduling/engine.h"
#include "fairlead/scheduling/run_setup.h"
#include "fairlead/world/policy_registry.h"

namespace fairlead {

class LookAhead final : public PolicyAdvisor {
 public:
  enum class Judges : std::uint8_t { kAtOnce, kOnAThread };
  struct Setup {
    std::string policy;  // of the run, by name and options
    // Nothing for a policy that does not look ahead.
    std::function<std::optional<LookAheadOptions>(std::string_view policy)> options_of;
    // Both are called on the thread that judges.
    SchedulingEngine::PolicyFactory policies;
    std::function<std::unique_ptr<InterferenceModel>()> interference;  // as is believed
    EngineOptions engine;
    Judges judges = Judges::kAtOnce;
  };
  explicit LookAhead(Setup setup);
  ~LookAhead() override;  // ends a judgement that is under way
  LookAhead(const LookAhead&) = delete;
  LookAhead& operator=(const LookAhead&) = delete;

  void NoteInput(const Input& input) override;
  Instant NextTimer() const override { return judged_at_; }
  std::optional<std::string> Advise(const SchedulingEngine& engine) override;

 private:
  // What a judgement is about. It owns what may change meanwhile.
  struct Question;
  struct Judgement {
    std::string policy;
    std::uint64_t segments = 0;  // that were simulated
  };

  void Choose(std::string_view policy);
  std::shared_ptr<const Question> Ask(const SchedulingEngine& engine) const;
  Judgement Judge(const Question& question) const;
  std::optional<std::string> TakeOver(std::string policy);

  Setup setup_;
  std::optional<LookAheadOptions> options_;  // while the policy of the run looks ahead
  std::string in_charge_;
  std::deque<Request> recent_;
  std::uint64_t seen_ = 0;  // requests
  std::uint64_t due_ = 0;   // so many of them, until the next judgement
  Instant judged_at_ = kNever;
  std::string judged_;  // what was found, until then
  std::future<Judgement> under_way_;
  std::atomic<bool> done_ = false;  // that one
  std::stop_source stop_;
};

// Whether a run may ever need one: under this policy, or one that the timeline puts in charge.
bool MayLookAhead(std::string_view policy, std::span<const TimedInput> timeline);

// For a run under `policy`. The interference is called on the thread that judges.
std::unique_ptr<LookAhead> MakeLookAhead(
    std::string policy, const RunSetup& setup, LookAhead::Judges judges,
    std::function<std::unique_ptr<InterferenceModel>()> interference, std::uint64_t seed);

}  // namespace fairlead
