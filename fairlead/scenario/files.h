// How files are read that people name on the command line and in scenarios.
#pragma once

#include <functional>
#include <string>

#include "fairlead/base/result.h"

namespace fairlead {

// Fuzzers and tests hand in their own.
using FileReader = std::function<Result<std::string>(const std::string& path)>;

// The whole file; "path: what is wrong" if that cannot be.
Result<std::string> ReadFile(const std::string& path);

// A path that stands in a file, as seen from here: relative to that file.
std::string Beside(const std::string& file, const std::string& path);

}  // namespace fairlead
