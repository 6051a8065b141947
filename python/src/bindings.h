// The parts of the module fairlead._core; module.cc puts them together.
#pragma once

#include <pybind11/pybind11.h>

namespace fairlead {

void BindView(pybind11::module_& module);
void BindPlan(pybind11::module_& module);
void BindEnvironments(pybind11::module_& module);
void BindSimulate(pybind11::module_& module);

}  // namespace fairlead
