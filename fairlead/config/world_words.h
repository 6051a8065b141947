// A world in words, for the head of a report: the platform, who asks for what, and what changes.
#pragma once

#include "fairlead/config/world.h"
#include "fairlead/report/html_report.h"

namespace fairlead {

WorldWords WordsOf(const World& world);

}  // namespace fairlead
