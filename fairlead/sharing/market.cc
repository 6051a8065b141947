#include "fairlead/sharing/market.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

namespace fairlead {
namespace {

Result<std::int64_t> TotalWeight(const std::vector<SharingAgent>& agents) {
  if (agents.empty()) return Fail("sharing: there are no agents");
  std::int64_t total = 0;
  std::set<std::string_view> names;
  for (const SharingAgent& agent : agents) {
    if (agent.weight < 1 || agent.weight > Market::kMostWeight)
      return Fail("agent '{}': a weight of {}; expected 1 to {}", agent.name, agent.weight,
                  Market::kMostWeight);
    if (!names.insert(agent.name).second) return Fail("there are two agents '{}'", agent.name);
    total += agent.weight;
  }
  return total;
}

Status CheckSizes(const Market& market, const Reports& reports) {
  const auto agents = static_cast<std::size_t>(market.agents());
  const auto groups = static_cast<std::size_t>(market.groups());
  const auto fits = [&](std::size_t size, std::size_t row, bool may_be_empty) {
    return size == agents * row || (may_be_empty && size == 0);
  };
  if (!fits(reports.utilities.size(), groups, false))
    return Fail("{} utilities; expected one for each of {} agents and {} groups",
                reports.utilities.size(), agents, groups);
  if (!fits(reports.stakes.size(), groups, true))
    return Fail("{} stakes; expected one for each of {} agents and {} groups",
                reports.stakes.size(), agents, groups);
  if (!fits(reports.preferences.size(), groups, true))
    return Fail("{} preferences; expected an order of {} groups from each of {} agents",
                reports.preferences.size(), groups, agents);
  if (!fits(reports.thresholds.size(), 1, true))
    return Fail("{} thresholds; expected one for each of {} agents", reports.thresholds.size(),
                agents);
  const auto kinds = static_cast<std::size_t>(market.kinds());
  if (!fits(reports.rates.size(), kinds, true))
    return Fail("{} rates; expected one for each of {} agents and {} kinds", reports.rates.size(),
                agents, kinds);
  if (!fits(reports.bandwidths.size(), kinds, true))
    return Fail("{} bandwidths; expected one for each of {} agents and {} kinds",
                reports.bandwidths.size(), agents, kinds);
  return {};
}

Status CheckNumbers(const Market& market, std::span<const double> numbers, std::string_view what) {
  const std::size_t row = numbers.size() / static_cast<std::size_t>(market.agents());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (std::isfinite(numbers[i]) && numbers[i] >= 0) continue;
    return Fail("agent '{}': {} {} is {}; expected a finite number from 0",
                market.agent(static_cast<int>(i / row)).name, what, i % row, numbers[i]);
  }
  return {};
}

Status CheckOrder(const Market& market, int agent, std::span<const int> order) {
  std::vector<bool> seen(order.size());
  for (const int group : order) {
    if (group < 0 || group >= market.groups())
      return Fail("agent '{}': prefers group {}; there are {}", market.agent(agent).name, group,
                  market.groups());
    if (seen[static_cast<std::size_t>(group)])
      return Fail("agent '{}': prefers group {} twice", market.agent(agent).name, group);
    seen[static_cast<std::size_t>(group)] = true;
  }
  return {};
}

}  // namespace

Result<Market> Market::Make(std::vector<SharingAgent> agents,
                            const std::vector<AcceleratorGroup>& groups) {
  Market market;
  ASSIGN_OR_RETURN(market.total_weight_, TotalWeight(agents));
  if (groups.empty()) return Fail("sharing: there are no accelerators");
  std::int64_t accelerators = 0;
  for (const AcceleratorGroup& group : groups) {
    if (group.count < 1) return Fail("a group of {} accelerators; expected 1 or more", group.count);
    if (group.kind < 0 || group.kind > static_cast<int>(market.kind_counts_.size()))
      return Fail("kind {} comes before kind {}", group.kind, market.kind_counts_.size());
    if (group.kind == static_cast<int>(market.kind_counts_.size()))
      market.kind_counts_.push_back(0);
    market.first_.push_back(static_cast<int>(accelerators));
    market.kind_counts_[static_cast<std::size_t>(group.kind)] += group.count;
    accelerators += group.count;
    if (accelerators > std::numeric_limits<int>::max())
      return Fail("sharing: more accelerators than can be numbered");
  }
  market.first_.push_back(static_cast<int>(accelerators));
  market.agents_ = std::move(agents);
  market.groups_ = groups;
  return market;
}

Status CheckReports(const Market& market, const Reports& reports) {
  RETURN_IF_ERROR(CheckSizes(market, reports));
  RETURN_IF_ERROR(CheckNumbers(market, reports.utilities, "utility"));
  RETURN_IF_ERROR(CheckNumbers(market, reports.stakes, "stake"));
  RETURN_IF_ERROR(CheckNumbers(market, reports.rates, "rate"));
  RETURN_IF_ERROR(CheckNumbers(market, reports.bandwidths, "bandwidth"));
  for (std::size_t a = 0; a < reports.thresholds.size(); ++a) {
    const double threshold = reports.thresholds[a];
    if (!(threshold >= 0 && threshold < 1))
      return Fail("agent '{}': a threshold of {}; expected one in [0, 1)",
                  market.agent(static_cast<int>(a)).name, threshold);
  }
  if (reports.preferences.empty()) return {};
  const auto groups = static_cast<std::size_t>(market.groups());
  for (int a = 0; a < market.agents(); ++a) {
    RETURN_IF_ERROR(CheckOrder(
        market, a,
        std::span(reports.preferences).subspan(static_cast<std::size_t>(a) * groups, groups)));
  }
  return {};
}

void PreferByUtility(const Market& market, const Reports& reports, std::vector<int>& preferences) {
  const auto groups = static_cast<std::size_t>(market.groups());
  preferences.resize(static_cast<std::size_t>(market.agents()) * groups);
  for (std::size_t a = 0; a < static_cast<std::size_t>(market.agents()); ++a) {
    const std::span<int> order = std::span(preferences).subspan(a * groups, groups);
    const double* of_agent = reports.utilities.data() + a * groups;
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, [of_agent](int left, int right) {
      return of_agent[left] != of_agent[right] ? of_agent[left] > of_agent[right] : left < right;
    });
  }
}

bool IsActive(const Market& market, const Reports& reports, int agent) {
  for (int g = 0; g < market.groups(); ++g) {
    if (reports.utility(market, agent, g) > 0) return true;
  }
  return false;
}

}  // namespace fairlead
