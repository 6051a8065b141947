// The run of a recording as it was: its inputs, and the plans that were recorded, whatever the
// policy would decide today. Who wants to know something watches the engine meanwhile.
#pragma once

#include <memory>

#include "fairlead/base/result.h"
#include "fairlead/recording/recording_reader.h"
#include "fairlead/recording/replay_engine.h"
#include "fairlead/scheduling/backend.h"
#include "fairlead/scheduling/listener.h"

namespace fairlead {

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
