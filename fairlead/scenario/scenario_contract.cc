#include <fmt/format.h>

#include <cmath>
#include <string>
#include <string_view>

#include "fairlead/base/units.h"
#include "fairlead/scenario/scenario_sections.h"

namespace fairlead {
namespace {

constexpr double kContractSecond = 1e6;  // its rates are by so many

// A contract counts in millionths of a request per second.
Result<std::int64_t> ReadContractRate(const ConfigNode& node) {
  ASSIGN_OR_RETURN(const double per_second, ReadRequestRate(node));
  const std::int64_t rate = std::llround(per_second * kContractSecond);
  if (rate == 0) return node.Wrong("a contract is for 0.000001/s at least");
  return rate;
}

}  // namespace

// rate: 12/s
Result<double> ReadRequestRate(const ConfigNode& node) {
  ASSIGN_OR_RETURN(const std::string text, node.Text());
  if (!text.ends_with("/s"))
    return node.Wrong(fmt::format("'{}' lacks its unit; expected for example 12/s", text));
  const auto rate = ParseNumber(std::string_view(text).substr(0, text.size() - 2));
  if (!rate.has_value() || *rate <= 0 || *rate > 1e9)
    return node.Wrong(fmt::format("'{}' is not a rate above 0/s, up to 1000000000/s", text));
  return *rate;
}

// period: 1h, or period: {length: 1h, kind: sliding}
Result<PromisePeriods::Promise> ReadPromisePeriod(const ConfigNode& node) {
  PromisePeriods::Promise promise;
  ConfigNode length = node;
  if (node.IsMap()) {
    ASSIGN_OR_RETURN(const ConfigMap map, ConfigMap::Open(node, {"length", "kind"}));
    ASSIGN_OR_RETURN(length, map.Require("length"));
    if (const auto kind = map.Find("kind"); kind.has_value()) {
      ASSIGN_OR_RETURN(const std::size_t choice, kind->AsOneOf(kPeriodKindNames));
      promise.kind = static_cast<PeriodKind>(choice);
    }
  }
  ASSIGN_OR_RETURN(promise.length, length.AsDuration());
  if (promise.length == Duration::zero())
    return length.Wrong("no share can be kept in no time; leave it out for the whole run");
  if (promise.kind == PeriodKind::kSliding && promise.length < kShortestSliding)
    return length.Wrong("a sliding period is of 12ns at least");
  return promise;
}

// contract: {rate: 20/s, burst: 40, over: serve}
Result<Contract> ReadContract(const ConfigNode& node) {
  ASSIGN_OR_RETURN(const ConfigMap map, ConfigMap::Open(node, {"rate", "burst", "over"}));
  if (!map.Has("rate") || !map.Has("burst"))
    return node.Wrong("expected a rate and a burst, for example {rate: 20/s, burst: 40}");
  Contract contract;
  ASSIGN_OR_RETURN(contract.rate, ReadContractRate(*map.Find("rate")));
  RETURN_IF_ERROR(map.ReadInteger("burst", contract.burst, 1, Contract::kLargestBurst));
  if (const auto over = map.Find("over"); over.has_value()) {
    ASSIGN_OR_RETURN(const std::size_t choice, over->AsOneOf(kOverNames));
    contract.over = static_cast<Over>(choice);
  }
  return contract;
}

}  // namespace fairlead
