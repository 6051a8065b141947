// A trained agent of Python's as a policy: what fairlead.gym.Agent is inside a run.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <string>

#include "fairlead/scheduling/policy.h"
#include "python/src/python_policy.h"

namespace fairlead {

// Of an object with act, aware and rows: act answers what a learned policy is shown
// (fairlead/learning). With the interpreter's lock; the failure outlives the policy.
std::unique_ptr<SchedulingPolicy> MakeAgentPolicy(std::string name, const pybind11::object& policy,
                                                  PythonFailure& failure);

}  // namespace fairlead
