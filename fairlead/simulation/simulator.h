// A world made of events: the engine's simulated surroundings.
//
// It hands the engine requests, completions and changes of the platform in order of (instant,
// sequence), charges true costs under contention, and can charge decisions too. One run is one
// thread and a function of its inputs alone.
#pragma once

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/scheduling/driver.h"
#include "fairlead/scheduling/engine.h"
#include "fairlead/scheduling/run_setup.h"
#include "fairlead/simulation/progress.h"

namespace fairlead {

// What a decision costs, so that slow policies are not flattered. The plan takes effect when the
// decision's time is over; what happens meanwhile waits for the next one.
struct DecisionCharge {
  Duration fixed{};
  Duration per_ready{};              // for each ready segment
  AcceleratorId accelerator{};       // valid: it runs there as a segment, when that one is idle
  std::int64_t bytes_per_ready = 0;  // its memory traffic, if it runs on an accelerator
  std::int64_t energy_pj_per_ready = 0;

  Duration For(std::size_t ready) const {
    return fixed + per_ready * static_cast<std::int64_t>(ready);
  }
};

struct SimulationSetup : RunSetup {
  InterferenceModel* interference = nullptr;  // not owned
  DecisionCharge charge;
};

class Simulator final : private ExecutionBackend {
 public:
  Simulator(SimulationSetup setup, std::unique_ptr<SchedulingPolicy> policy);

  // Runs until the requests are exhausted and every job has ended. Fails when the policy makes a
  // wrong plan, leaves jobs waiting that could run or stands still, and at the end of the time
  // axis.
  Status Run();

  // The same in steps: goes on to the next instant at which the policy is asked, and stops just
  // before. False: the run is over. Whoever wants to see what the policy will be shown finds it in
  // the engine's view; the next call asks the policy first.
  Result<bool> RunToDecision();

  const SchedulingEngine& engine() const { return engine_; }
  const RunTotals& totals() const { return totals_; }

 private:
  void Start(const Assignment& assignment) override;
  void Resize(const Assignment& assignment) override;
  void Abort(const Assignment& assignment) override;

  // Of the driver.
  friend class EngineDriver<Simulator>;
  void ApplyChange(const Input& input) {
    engine_.Apply(input);
    driver_.NoteInput(input);
  }
  void ApplyOwnEvents(Instant now);
  void ApplyArrival(const Arrival& arrival) { engine_.Apply(arrival); }
  void ApplyGuardAct(const GuardAct& act) {
    std::visit([this](const auto& what) { engine_.Apply(what); }, act);
  }
  bool NothingRuns() const { return progress_.empty(); }

  Instant NextInstant() const;
  bool IsOver() const;
  Result<bool> OpenInstant();
  Status EndInstant();
  bool CanDecide() const;
  Status DecideAndCommit();
  Status Commit();
  bool StandsStill();
  KindId KindOf(const Assignment& assignment) const;
  RunningSegment Describe(const Assignment& assignment, const SegmentCost& cost) const;
  void Charge(const SegmentCost& cost, double share);
  void CountBusy(const Assignment& assignment);
  SegmentCost CostOfStart(const Assignment& assignment);

  static constexpr std::uint64_t kMostIdleTurns = 1'000'000;
  // A decision that runs on an accelerator is followed like a segment, under this id.
  static constexpr AssignmentId kDecision{UINT32_MAX, 0};

  SimulationSetup setup_;
  SchedulingEngine engine_;
  EngineDriver<Simulator> driver_;
  ProgressTracker progress_;
  RunTotals totals_;
  Instant now_{};
  enum class Stage : std::uint8_t {
    kNew,
    kBetweenInstants,
    kBeforeDecision,
    kOver
  } stage_ = Stage::kNew;
  Instant commit_at_ = kNever;
  std::size_t ready_ = 0;                // segments, when the decision of this instant became due
  std::uint64_t idle_turns_ = 0;         // in a row, of which nothing came and nothing can
  std::vector<NetworkId> last_network_;  // per accelerator
  struct BusySpell {
    Instant since{};
    int units = 0;
  };
  std::vector<BusySpell> spells_;     // per assignment slot: what CountBusy has not counted yet
  std::vector<SegmentCost> charged_;  // per assignment slot: to the totals, for all of it
};

}  // namespace fairlead
