// How many jobs are in the system, waiting or running, in all and of each tenant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fairlead/scheduling/event.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

class ActiveJobs {
 public:
  // To be told of every event. O(1), but O(ready + running) when the policy has just taken over.
  void Observe(const SystemView& view, const Event& event);

  std::int64_t total() const { return total_; }
  std::int64_t Of(TenantId tenant) const {
    return tenant.index() < by_tenant_.size() ? by_tenant_[tenant.index()] : 0;
  }

 private:
  void Count(const Job& job, std::int64_t change);
  void Recount(const SystemView& view);

  std::int64_t total_ = 0;
  std::vector<std::int64_t> by_tenant_;
};

}  // namespace fairlead
