// What a run says by the places of its arrangement, put back in the order of the list.
#pragma once

#include <vector>

#include "fairlead/report/figures.h"
#include "fairlead/report/outcome_log.h"
#include "fairlead/report/timeline.h"
#include "fairlead/world/arrangement.h"

namespace fairlead {

void PutInListedOrder(const Arrangement& arrangement, RunFigures& figures);
void PutInListedOrder(const Arrangement& arrangement, RunTimeline& timeline);
void PutInListedOrder(const Arrangement& arrangement, std::vector<LoggedJob>& jobs);

}  // namespace fairlead
