// Results on a terminal: verdicts in colours. What goes into files and pipes stays plain, as does
// everything where NO_COLOR is set.
#pragma once

#include <string>

namespace fairlead {

// The text as standard output shows it best.
std::string ForTerminal(const std::string& text);

}  // namespace fairlead
