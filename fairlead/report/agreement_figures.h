// What was promised and what was received, in figures: agreement by agreement, and how evenly
// across all of them and across tenants. Only requests that arrived after the warm-up count, and
// towards promises only those that a contract covers.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fairlead/base/statistics.h"
#include "fairlead/domain/network_graph.h"
#include "fairlead/domain/tenant.h"
#include "fairlead/fairness/claims.h"
#include "fairlead/fairness/ledger.h"
#include "fairlead/scheduling/event.h"

namespace fairlead {

// What a policy gave up of a promise.
struct SacrificeFigures {
  std::int64_t times = 0;
  double share = 0;      // of the run, from time 0 to its end
  OutcomeCounts counts;  // of covered requests that ended meanwhile
};

// Requests that did not hit, by why: those that finished late, and those given up, by reason. Of
// this run, uncovered ones too.
struct LossFigures {
  std::int64_t late = 0;
  std::array<std::int64_t, kReasonNames.size()> given_up{};  // by Reason

  LossFigures& operator+=(const LossFigures& other);
};

struct AgreementFigures {
  std::string tenant;
  std::string network;
  std::optional<double> target;  // none: best effort, or a window alone
  int window = 0;                // of so many requests at most max_misses may fail; 0: no promise
  int max_misses = 0;
  double floor = 0;          // of the machine, that best effort is to have
  double machine_share = 0;  // that its finished requests took, each segment where it is fastest
  OutcomeCounts counts;
  OutcomeCounts uncovered;  // by the contract; in nothing that follows
  double hit_rate = 0;      // without outcomes the target, 1 for best effort
  double worst_window = 0;  // the ledger's
  std::int64_t window_violations = 0;
  std::optional<PeriodVerdicts> periods;    // where the target is promised for each
  SacrificeFigures sacrificed;              // by the policy
  SacrificeFigures sacrificed_by_fallback;  // in its place, under a guard
  double revenue = 0;  // the price of each hit, minus the penalty of each covered failure
  LossFigures lost;
  std::optional<Percentiles> latency;  // from arrival to finish, of finished requests of this run
  // What the counts prove about the target (kClaimConfidence), and how many requests it takes to
  // establish it with as many failures as there are; none where no number of requests does.
  std::optional<Claim> claim;
  std::optional<std::int64_t> requests_needed;

  // All that was promised: the share (in every period), and every window. None for best effort.
  std::optional<bool> Kept() const;
};

// Of a run that ended at this instant.
std::vector<AgreementFigures> DescribeAgreements(const FairnessLedger& ledger,
                                                 std::span<const Tenant> tenants,
                                                 std::span<const NetworkGraph> networks,
                                                 Instant end);

// How evenly hit rates are spread. A target that is promised for each period is met if all of them
// kept it, and what is missing is missing in the worst; a promise of windows if none was violated.
// Those without a promise have a rate, but count neither as met nor as unmet.
struct RateFigures {
  Distribution rates;
  std::optional<double> met_share;       // of those with a promise; none if nobody has one
  std::optional<double> mean_shortfall;  // target minus rate, over those below; 0 if nobody is,
                                         // none if nobody has a target
  std::optional<double> worst_window;    // the worst of all; none if there is nobody
};

RateFigures RatesOfAgreements(const FairnessLedger& ledger);
RateFigures RatesOf(std::span<const AgreementFigures* const> agreements);
// A tenant's rate, worst window and shortfall are those of its agreement that fares worst in each;
// it is met when all its agreements are. Tenants without an agreement are left out.
RateFigures RatesOfTenants(const FairnessLedger& ledger);

}  // namespace fairlead
