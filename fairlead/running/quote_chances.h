// Promises that are judged again and again within one traffic: a share for each period, a window of
// requests. Each period, and each window, is a chance to break them.
//
// The worst of a run says little about such promises: most runs are far from a breach, and a few
// break at once, so that what was never seen on ten traffics may well happen on one in ten. All
// chances of all traffics together do: the lowest of them show how fast the tail falls.
#pragma once

#include <span>
#include <vector>

#include "fairlead/base/time.h"
#include "fairlead/domain/tenant.h"

namespace fairlead {

// A covered request that counts.
struct JudgedRequest {
  Instant arrival{};
  bool hit = false;
};

// Margins of one promise on one traffic: share of hits minus what was promised. Chances that
// overlap, sliding periods or windows, are taken together for each stretch of their own length, and
// the worst of them counts: what is left depends little on its neighbours.
struct Chances {
  std::vector<double> margins;
  double grain = 0;  // by how much one request changes a margin
  double step = 0;   // margins are multiples of it; 0: of nothing in particular
};

// Requests in order of arrival. The agreement has a target and a period.
Chances PeriodChances(const ServiceAgreement& agreement, std::span<const JudgedRequest> requests);
// The agreement has a window. None where fewer requests came than it is long.
Chances WindowChances(const ServiceAgreement& agreement, std::span<const JudgedRequest> requests);

// How probable it is that the lowest of a new traffic's chances is below a value.
//
// The lowest fifth of all that was seen, 60 at most, is taken as the tail: how far it lies below
// what comes next is exponential, with a mean that is known only as well as so few tell (the
// predictive distribution: Pareto's). That is heavier than a normal tail. Chances are taken as
// independent; if they go together, less breaks than is predicted.
class TailPrediction {
 public:
  // Not empty. So many of these come in one traffic.
  TailPrediction(const Chances& seen, double per_traffic);

  double FallsBelow(double value) const;
  // Of one of so many who are alike.
  TailPrediction OfOne(double alike) const;

 private:
  double ChanceFallsBelow(double value) const;

  std::vector<double> margins_;  // ascending
  double per_traffic_ = 0;
  double step_ = 0;
  double tail_ = 0;       // how many
  double threshold_ = 0;  // that these are below
  double excess_ = 0;     // their mean distance from it
};

}  // namespace fairlead
