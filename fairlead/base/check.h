// CHECK: our own invariants, in every build. A failed check is a bug of ours, never bad input.
#pragma once

#include <string>

namespace fairlead {

// Prints the place, the condition and the explanation to stderr, and aborts.
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition,
                              const std::string& explanation);

}  // namespace fairlead

#define CHECK(condition)                             \
  (__builtin_expect(static_cast<bool>(condition), 1) \
       ? static_cast<void>(0)                        \
       : ::fairlead::CheckFailed(__FILE__, __LINE__, #condition, std::string{}))

// The explanation is built only on failure.
#define CHECK_MSG(condition, explanation)            \
  (__builtin_expect(static_cast<bool>(condition), 1) \
       ? static_cast<void>(0)                        \
       : ::fairlead::CheckFailed(__FILE__, __LINE__, #condition, (explanation)))
