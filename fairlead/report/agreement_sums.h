// What runs of one policy say of each agreement, summed.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fairlead/report/figures.h"
#include "fairlead/report/summary.h"

namespace fairlead {

// One Sum for each agreement that concerns it in any run, by name. A Sum has `tenant` and
// `network`, and functions `Concerns` and `Add` of AgreementFigures.
template <typename Sum>
std::vector<Sum> SumByAgreement(const PolicyRuns& policy) {
  std::map<std::pair<std::string_view, std::string_view>, Sum> by_name;
  for (const RunFigures* run : policy.runs) {
    for (const AgreementFigures& agreement : run->per_agreement) {
      if (!Sum::Concerns(agreement)) continue;
      Sum& sum = by_name[{agreement.tenant, agreement.network}];
      sum.tenant = agreement.tenant;
      sum.network = agreement.network;
      sum.Add(agreement);
    }
  }
  std::vector<Sum> list;
  for (auto& [name, sum] : by_name) list.push_back(std::move(sum));
  return list;
}

}  // namespace fairlead
