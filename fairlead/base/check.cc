#include "fairlead/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace fairlead {

void CheckFailed(const char* file, int line, const char* condition,
                 const std::string& explanation) {
  std::fprintf(stderr, "%s:%d: CHECK(%s) failed%s%s\n", file, line, condition,
               explanation.empty() ? "" : ": ", explanation.c_str());
  std::abort();
}

}  // namespace fairlead
