// What carries out assignments: a simulated world, or real processors.
//
// The engine calls it from its own thread, from within Commit or an event's application. Reports
// come back through the engine's methods (SegmentFinished, SegmentFailed), never from inside these
// calls. After Abort the backend may still report; the engine ignores it by its generation.
#pragma once

#include "fairlead/scheduling/assignment.h"
#include "fairlead/scheduling/job.h"

namespace fairlead {

class ExecutionBackend {
 public:
  virtual ~ExecutionBackend() = default;
  virtual void Start(const Assignment& assignment) = 0;
  // The assignment already carries its new units.
  virtual void Resize(const Assignment& assignment) = 0;
  // Its accelerator has gone.
  virtual void Abort(const Assignment& assignment) = 0;
  // All its jobs have ended, and nobody wants what it computes: its end may be reported early.
  virtual void Cut(const Assignment& /*assignment*/) {}
  // The job has ended: nothing of it will start again. Something may still run.
  virtual void Forget(const JobHandle& /*job*/) {}
};

}  // namespace fairlead
