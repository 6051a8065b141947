// A file that is whole whenever it is there, also after a kill: written beside its name, synced,
// and renamed.
#pragma once

#include <string>
#include <string_view>

#include "fairlead/base/result.h"

namespace fairlead {

Status ReplaceFile(const std::string& path, std::string_view text);

}  // namespace fairlead
