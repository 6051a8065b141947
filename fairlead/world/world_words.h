// A world in words, for the head of a report: the platform, who asks for what, and what changes.
#pragma once

#include "fairlead/report/html_report.h"
#include "fairlead/world/world.h"

namespace fairlead {

WorldWords WordsOf(const World& world);

}  // namespace fairlead
