// What becomes a Python exception of ours; module.cc registers them.
#pragma once

#include <stdexcept>

namespace fairlead {

// fairlead.InputError: something that was handed in is wrong. The message is the program's.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// fairlead.RunError: a run could not go on, such as after a wrong plan.
struct RunError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace fairlead
