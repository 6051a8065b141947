#include "fairlead/scenario/agreement_text.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "fairlead/base/units.h"
#include "fairlead/domain/agreement_terms.h"

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

// contract: {rate: 20/s, burst: 40, over: serve}
Result<Contract> ReadContract(const ConfigNode& node) {
  std::vector<std::string_view> keys;
  for (const ContractTerm& term : kContractTerms) keys.push_back(term.key);
  ASSIGN_OR_RETURN(const ConfigMap map, ConfigMap::Open(node, keys));
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

// A term of each type, from its value.
class TermReader {
 public:
  TermReader(const ConfigNode& node, ServiceAgreement& promise) : node_(node), promise_(promise) {}

  Status operator()(const AgreementTerm<Duration>& term) {
    ASSIGN_OR_RETURN(promise_.*term.member, node_.AsDuration());
    return {};
  }
  Status operator()(const AgreementTerm<std::optional<double>>& term) {
    ASSIGN_OR_RETURN(promise_.*term.member, node_.AsRate());
    return {};
  }
  Status operator()(const AgreementTerm<int>& term) {
    ASSIGN_OR_RETURN(const std::int64_t number, node_.AsInteger(term.least, term.most));
    promise_.*term.member = static_cast<int>(number);
    return {};
  }
  Status operator()(const AgreementTerm<double>& term) {
    ASSIGN_OR_RETURN(promise_.*term.member,
                     term.is_share ? node_.AsRate() : node_.AsNumber(term.least, term.most));
    return {};
  }
  Status operator()(const AgreementTerm<std::optional<Contract>>& term) {
    ASSIGN_OR_RETURN(promise_.*term.member, ReadContract(node_));
    return {};
  }
  // period: 1h, or period: {length: 1h, kind: sliding}
  Status operator()(const PeriodTerm& /*term*/) {
    ConfigNode length = node_;
    if (node_.IsMap()) {
      ASSIGN_OR_RETURN(const ConfigMap map, ConfigMap::Open(node_, {"length", "kind"}));
      ASSIGN_OR_RETURN(length, map.Require("length"));
      if (const auto kind = map.Find("kind"); kind.has_value()) {
        ASSIGN_OR_RETURN(const std::size_t choice, kind->AsOneOf(kPeriodKindNames));
        promise_.period_kind = static_cast<PeriodKind>(choice);
      }
    }
    ASSIGN_OR_RETURN(promise_.period, length.AsDuration());
    if (promise_.period == Duration::zero())
      return length.Wrong("no share can be kept in no time; leave it out for the whole run");
    if (promise_.period_kind == PeriodKind::kSliding && promise_.period < kShortestSliding)
      return length.Wrong("a sliding period is of 12ns at least");
    return {};
  }

 private:
  const ConfigNode& node_;
  ServiceAgreement& promise_;
};

Status CheckTogether(const ConfigMap& map, const ServiceAgreement& promise) {
  if (const auto period = map.Find("period"); period.has_value() && !map.Has("target"))
    return period->Wrong("a period is for a target; give one, for example target: 90%");
  if (map.Has("window") != map.Has("max_misses"))
    return FailAt(map.Place(), "window and max_misses belong together");
  if (promise.window > 0 && promise.max_misses >= promise.window)
    return FailAt(map.Find("max_misses")->Place(), "max_misses must be below window");
  if (const auto floor = map.Find("floor");
      floor.has_value() && (map.Has("target") || map.Has("window")))
    return floor->Wrong("a floor is for best effort: no target, no window");
  return {};
}

}  // namespace

void StatedTerms::Change(ServiceAgreement& agreement) const {
  ForEachTerm([&](const auto& term) {
    if (Has(term.key)) term.Copy(promise, agreement);
  });
}

std::vector<std::string_view> TermKeys(TermsOf whose) { return WithTermKeys({}, whose); }

std::vector<std::string_view> WithTermKeys(std::vector<std::string_view> others, TermsOf whose) {
  ForEachTerm([&](const auto& term) {
    const bool known = whose == TermsOf::kScenario ||
                       (whose == TermsOf::kChange ? term.may_change : !term.help.empty());
    if (known) others.push_back(term.key);
  });
  return others;
}

Status ReadTerms(const ConfigMap& map, TermsOf whose, StatedTerms& terms,
                 std::string_view skipped) {
  Status status;
  ForEachTerm([&](const auto& term) {
    const auto node = map.Find(term.key);
    if (!status.has_value() || !node.has_value() || term.key == skipped) return;
    terms.given.insert(term.key);
    status = TermReader(*node, terms.promise)(term);
  });
  if (!status.has_value() || whose == TermsOf::kChange) return status;
  return CheckTogether(map, terms.promise);
}

Result<StatedTerms> ParseTerms(const std::string& text) {
  ASSIGN_OR_RETURN(const ConfigNode node, ConfigNode::Parse("terms", text));
  ASSIGN_OR_RETURN(const ConfigMap map, ConfigMap::Open(node, TermKeys(TermsOf::kServer)));
  StatedTerms terms;
  RETURN_IF_ERROR(ReadTerms(map, TermsOf::kServer, terms));
  if (!terms.Has("deadline")) return FailAt(map.Place(), "a deadline is needed");
  return terms;
}

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

}  // namespace fairlead
