#include "fairlead/sharing/preference_walk.h"

namespace fairlead {

PreferenceWalk::PreferenceWalk(const Market& market)
    : market_(&market), groups_(static_cast<std::size_t>(market.groups())) {
  for (int g = 0; g < market.groups(); ++g) first_.push_back(market.first_of(g));
  first_.push_back(market.accelerators());
  next_.resize(static_cast<std::size_t>(market.agents()));
}

void PreferenceWalk::Begin(const Reports& reports, Allocation& allocation) {
  free_.resize(groups_);
  for (std::size_t g = 0; g < groups_; ++g) free_[g] = first_[g + 1] - first_[g];
  Reread();
  if (reports.preferences.empty()) {
    PreferByUtility(*market_, reports, by_utility_);
    order_ = by_utility_.data();
  } else {
    order_ = reports.preferences.data();
  }
  utilities_ = reports.utilities.data();
  left_ = first_.back();
  allocation.divided = false;
  allocation.holder.assign(static_cast<std::size_t>(left_), Allocation::kNobody);
  holder_ = allocation.holder.data();
}

}  // namespace fairlead
