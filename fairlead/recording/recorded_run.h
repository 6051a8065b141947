// The run of a recording as it was: its inputs, and the plans that were recorded, whatever the
// policy would decide today. Who wants to know something watches the engine meanwhile.
#pragma once

#include <memory>

#include "fairlead/base/result.h"
#include "fairlead/recording/recording_reader.h"
#include "fairlead/scheduling/backend.h"
#include "fairlead/scheduling/checked_inputs.h"
#include "fairlead/scheduling/engine.h"
#include "fairlead/scheduling/listener.h"

namespace fairlead {

// An engine that lives in a recording: its inputs come from the file, and its backend only looks.
//
// Replay and why share it. Nothing that stands in a file can make the engine fail a CHECK: inputs
// go through scheduling/checked_inputs.h.

class ReplayEngine {
 public:
  // The recording and the backend are not owned and outlive this object. The factory makes the
  // policies that take over on the way.
  ReplayEngine(const Recording& recording, std::unique_ptr<SchedulingPolicy> policy,
               SchedulingEngine::PolicyFactory policies, ExecutionBackend& backend);
  ReplayEngine(const ReplayEngine&) = delete;
  ReplayEngine& operator=(const ReplayEngine&) = delete;

  // Carries out an advance or an input. Complains without a place.
  Status Apply(const RecordedStep& step);
  // The job of the last arrival.
  JobHandle last_arrival() const { return last_arrival_; }

  SchedulingEngine& engine() { return engine_; }
  const SystemState& state() const { return engine_.state(); }

 private:
  SchedulingEngine engine_;
  CheckedInputs inputs_;
  JobHandle last_arrival_;
};

class RecordedRun {
 public:
  // All three outlive the run, as does the recording.
  struct Watchers {
    ExecutionBackend& backend;
    RunListener& listener;
    RunRecorder& recorder;
  };
  RecordedRun(const Recording& recording, const Watchers& watchers);
  RecordedRun(const RecordedRun&) = delete;
  RecordedRun& operator=(const RecordedRun&) = delete;

  // Carries out the next step; null at the end. The step is there until the next one. Complains
  // with its place.
  Result<const RecordedStep*> Next();

  const SystemState& state() const { return replay_.state(); }
  // The job of the last arrival.
  JobHandle last_arrival() const { return replay_.last_arrival(); }

 private:
  Status Take(const RecordedStep& step);

  RecordingReader reader_;
  const SchedulingPlan* plan_ = nullptr;
  ReplayEngine replay_;
};

}  // namespace fairlead
