#include "fairlead/running/listed_order.h"

#include <utility>

namespace fairlead {

void PutInListedOrder(const Arrangement& arrangement, RunFigures& figures) {
  figures.per_agreement = InListedOrder(std::move(figures.per_agreement), arrangement.agreements);
  figures.busy = InListedOrder(std::move(figures.busy), arrangement.accelerators);
  if (figures.work_prefers.has_value()) {
    figures.work_prefers->kinds =
        InListedOrder(std::move(figures.work_prefers->kinds), arrangement.kinds);
  }
}

void PutInListedOrder(const Arrangement& arrangement, RunTimeline& timeline) {
  timeline.accelerators = InListedOrder(std::move(timeline.accelerators), arrangement.accelerators);
  timeline.networks = InListedOrder(std::move(timeline.networks), arrangement.networks);
  std::vector<UsageOverTime> usage = timeline.usage;  // of kinds, then of the memory
  for (std::size_t place = 0; place < arrangement.kinds.size(); ++place)
    timeline.usage[arrangement.kinds[place].index()] = std::move(usage[place]);
  for (TimelineSlice& slice : timeline.slices) {
    slice.accelerator = arrangement.accelerators[slice.accelerator.index()];
    slice.network = arrangement.networks[slice.network.index()];
  }
}

void PutInListedOrder(const Arrangement& arrangement, std::vector<LoggedJob>& jobs) {
  for (LoggedJob& job : jobs) {
    job.agreement = arrangement.agreements[job.agreement.index()];
    job.tenant = arrangement.tenants[job.tenant.index()];
    job.network = arrangement.networks[job.network.index()];
  }
}

}  // namespace fairlead
