// One call of a policy written in Python: what it sees and asks for lives as long as the call.
//
// Python may keep what it was handed. Each object remembers the turn of the call that it belongs
// to, and is refused once that is over, instead of reading what has changed since.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>

#include "fairlead/scheduling/plan.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

class DecisionScope {
 public:
  void Open(const SystemView& view, SchedulingPlan* plan) {
    ++turn_;
    view_ = &view;
    plan_ = plan;
  }
  void Close() {
    view_ = nullptr;
    plan_ = nullptr;
  }
  std::uint64_t turn() const { return turn_; }

  const SystemView& view(std::uint64_t turn) const {
    if (turn != turn_ || view_ == nullptr)
      throw std::runtime_error("this view is over: it tells about one decision, during that call");
    return *view_;
  }
  SchedulingPlan& plan(std::uint64_t turn) const {
    if (turn != turn_ || view_ == nullptr)
      throw std::runtime_error("this plan is over: it is carried out when decide returns");
    return *plan_;
  }

 private:
  std::uint64_t turn_ = 0;
  const SystemView* view_ = nullptr;
  SchedulingPlan* plan_ = nullptr;
};

// What every object handed to Python knows of its call.
struct InScope {
  std::shared_ptr<DecisionScope> scope;
  std::uint64_t turn = 0;

  const SystemView& view() const { return scope->view(turn); }
};

struct PythonView : InScope {};
struct PythonPlan : InScope {};
struct PythonReady : InScope {
  ReadySegment ready;
  const Job& job() const { return view().job(ready.job); }
};
struct PythonAccelerator : InScope {
  AcceleratorId id;
  const AcceleratorState& state() const { return view().accelerators()[id.index()]; }
};
struct PythonAgreement : InScope {
  AgreementId id;
};
struct PythonRunning : InScope {
  AssignmentId id;
  const Assignment& assignment() const { return view().assignment(id); }
};
struct PythonEvent : InScope {
  Event event;
};

}  // namespace fairlead
