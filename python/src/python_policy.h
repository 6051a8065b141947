// A policy written in Python, inside the simulator.
//
// It is any object with decide(view, plan), and optionally observe(view, event) and begin(seed).
// The engine's thread calls it with the interpreter's lock. What it raises does not pass through
// the engine: it is kept, the run is asked to stop, and whoever began the run raises it again.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "fairlead/scheduling/policy.h"
#include "python/src/decision_scope.h"

namespace fairlead {

// What was raised first, if anything was.
struct PythonFailure {
  std::optional<pybind11::error_already_set> raised;
  std::stop_source stop;
};

class PythonPolicy final : public SchedulingPolicy {
 public:
  // With the interpreter's lock, as all that follows takes it. The failure outlives the policy.
  PythonPolicy(std::string name, pybind11::object policy, PythonFailure& failure);
  PythonPolicy(const PythonPolicy&) = delete;
  PythonPolicy& operator=(const PythonPolicy&) = delete;
  ~PythonPolicy() override;

  std::string_view Name() const override { return name_; }
  void Observe(const SystemView& view, const Event& event) override;
  void Decide(const SystemView& view, SchedulingPlan& plan) override;

 private:
  template <typename Call>
  void Guarded(Call call);

  std::string name_;
  PythonFailure& failure_;
  pybind11::object policy_;
  pybind11::object decide_;
  pybind11::object observe_;  // None: it does not want to
  std::shared_ptr<DecisionScope> scope_ = std::make_shared<DecisionScope>();
};

}  // namespace fairlead
