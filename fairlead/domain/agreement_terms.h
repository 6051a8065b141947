// The terms of an agreement, each described once. Scenario files and their JSON, the command line,
// the wire and the store (scenario/agreement_text.h), and recordings (scheduling/input_fields.h)
// walk over this table, so that none of them can know another term than the others.
//
// A new term is a member of ServiceAgreement and a row here. The type of the member says how the
// term is written: a time, a share of requests, a number of requests, an amount, a contract.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <tuple>

#include "fairlead/base/time.h"
#include "fairlead/domain/tenant.h"

namespace fairlead {

inline constexpr int kLongestWindow = 100'000;

template <typename Value>
struct AgreementTerm {
  std::string_view key;
  Value ServiceAgreement::*member;
  // Of a number in a scenario. Recordings have counts from 0 on, and any amount.
  Value least{};
  Value most{};
  bool is_share = false;  // a number that is written as a percentage
  // Of the option of `fairlead agreement add`. Empty: agreements of servers do not have the term.
  std::string_view help{};
  bool may_change = false;      // by `changes` in a scenario
  bool always_written = false;  // else the key is missing where the term says nothing

  bool SaysNothing(const ServiceAgreement& agreement) const {
    return agreement.*member == ServiceAgreement{}.*member;
  }
  void Copy(const ServiceAgreement& from, ServiceAgreement& to) const { to.*member = from.*member; }
};

// Two members: a length, and its kind.
struct PeriodTerm : AgreementTerm<std::optional<Duration>> {
  void Copy(const ServiceAgreement& from, ServiceAgreement& to) const {
    to.period = from.period;
    to.period_kind = from.period_kind;
  }
};

inline constexpr std::tuple kAgreementTerms{
    AgreementTerm<Duration>{.key = "deadline",
                            .member = &ServiceAgreement::deadline,
                            .help = "of each request, such as 50ms",
                            .always_written = true},
    AgreementTerm<std::optional<double>>{
        .key = "target",
        .member = &ServiceAgreement::target,
        .help = "the share inside it, such as 95%; none: best effort",
        .may_change = true,
        .always_written = true},
    AgreementTerm<int>{.key = "window",
                       .member = &ServiceAgreement::window,
                       .least = 1,
                       .most = kLongestWindow,
                       .help = "of so many requests in a row ...",
                       .always_written = true},
    AgreementTerm<int>{.key = "max_misses",
                       .member = &ServiceAgreement::max_misses,
                       .most = kLongestWindow,
                       .help = "... at most so many may be late",
                       .always_written = true},
    AgreementTerm<double>{
        .key = "price", .member = &ServiceAgreement::price, .most = 1e12, .always_written = true},
    AgreementTerm<double>{.key = "penalty",
                          .member = &ServiceAgreement::penalty,
                          .most = 1e12,
                          .always_written = true},
    PeriodTerm{{.key = "period",
                .member = &ServiceAgreement::period,
                .help = "for how long the share is promised, such as 1h",
                .may_change = true}},
    AgreementTerm<double>{.key = "floor",
                          .member = &ServiceAgreement::floor,
                          .most = 1,
                          .is_share = true,
                          .help = "of the machine, for best effort, such as 5%",
                          .may_change = true},
    AgreementTerm<std::optional<Contract>>{.key = "contract",
                                           .member = &ServiceAgreement::contract,
                                           .help = "how many requests the promise is for",
                                           .may_change = true},
};

// In the order of the table.
constexpr void ForEachTerm(auto&& visit) {
  std::apply([&visit](const auto&... term) { (visit(term), ...); }, kAgreementTerms);
}

// What a contract consists of in texts.
struct ContractTerm {
  std::string_view key;
  std::string_view help;
};
inline constexpr std::array<ContractTerm, 3> kContractTerms = {{
    {"rate", "that the promise is for, such as 20/s"},
    {"burst", "requests at once, with a rate"},
    {"over", "what is beyond the rate: serve or refuse"},
}};

}  // namespace fairlead
