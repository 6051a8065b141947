#include "fairlead/running/suite_sizing.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "fairlead/scenario/scenario.h"
#include "fairlead/world/world.h"

namespace fairlead {

Result<SuiteScale> SizeScenario(const SuiteDraft& draft) {
  ASSIGN_OR_RETURN(Scenario scenario, ParseScenario(draft.name, ScenarioText(draft, {})));
  ASSIGN_OR_RETURN(const auto world, BuildWorld(std::move(scenario), &ReadFile));
  double requests_per_s = 0;
  double segments_per_s = 0;
  double fastest = 0;
  double longest_deadline_s = 0;
  for (const PlannedAgreement& planned : world->agreements) {
    const double rate = MeanRate(planned.arrivals);
    requests_per_s += rate;
    segments_per_s +=
        rate * static_cast<double>(world->networks[planned.agreement.network.index()].size());
    fastest = std::max(fastest, rate);
    longest_deadline_s = std::max(longest_deadline_s, Seconds(planned.agreement.deadline));
  }
  const double wanted =
      std::max(kSuiteRequestsEach * static_cast<double>(world->agreements.size()) / requests_per_s,
               kSuiteDeadlines * longest_deadline_s);
  const double most =
      std::min(kSuiteMostSegments / segments_per_s, kSuiteMostRequests / requests_per_s);
  std::vector<double> rates;
  std::size_t next = 0;  // agreements come group by group
  for (const DraftTenants& group : draft.tenants) {
    const std::size_t end =
        std::min(next + static_cast<std::size_t>(group.count * group.networks_each),
                 world->agreements.size());
    double sum = 0;
    for (std::size_t i = next; i < end; ++i) sum += MeanRate(world->agreements[i].arrivals);
    rates.push_back(end > next ? sum / static_cast<double>(end - next) : 0);
    next = end;
  }
  return SuiteScale{
      .horizon_s = std::min(std::max(wanted, kSuiteFewestSegments / segments_per_s), most),
      .shortest_gap_s = 1 / fastest,
      .rates = std::move(rates)};
}

}  // namespace fairlead
