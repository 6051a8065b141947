// What this program has read, so that no output overwrites it.
#pragma once

#include <string>

#include "fairlead/base/result.h"

namespace fairlead {

// ReadFile, and remembers the file. "-" is standard input; what is not here may be installed beside
// the program (PREFIX/share/fairlead). From any thread.
Result<std::string> ReadInput(const std::string& path);

// The path leads to a file that was read, by whatever name.
bool WasRead(const std::string& path);

// The file may be an output too, because that is asked for outright.
void AllowOverwriting(const std::string& path);

}  // namespace fairlead
