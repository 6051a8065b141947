// Simulating a world on some of the traffics that were drawn, and what that says about promises on
// a traffic that was not.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/base/time.h"
#include "fairlead/domain/tenant.h"
#include "fairlead/report/figures.h"
#include "fairlead/running/quote_traffic.h"
#include "fairlead/world/world.h"

namespace fairlead {

// Promises that are judged again and again within one traffic: a share for each period, a window of
// requests. Each period, and each window, is a chance to break them.
//
// The worst of a run says little about such promises: most runs are far from a breach, and a few
// break at once, so that what was never seen on ten traffics may well happen on one in ten. All
// chances of all traffics together do: the lowest of them show how fast the tail falls.

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

// How far an agreement is above its promise; where it has several, by the one that is nearest to
// being broken.
struct PromiseMargin {
  double margin = 0;  // share of hits minus what was promised; below 0: broken
  double share = 0;   // of hits
  double grain = 0;   // by how much one request more or less changes it
};
// None for best effort, and where nothing came.
std::optional<PromiseMargin> MarginOf(const ServiceAgreement& agreement,
                                      const AgreementFigures& figures);

// One simulated traffic.
struct Trial {
  std::uint64_t seed = 0;
  double weight = 0;
  std::vector<std::optional<PromiseMargin>> margins;  // by agreement
  // By agreement: what is judged once in a traffic, and what is judged again and again. Empty: all
  // is judged once.
  std::vector<std::optional<PromiseMargin>> once = {};
  std::vector<std::vector<Chances>> again = {};

  // The worst of all; none where nobody was promised anything.
  std::optional<PromiseMargin> Worst() const;
  std::optional<std::size_t> WorstAgreement() const;
  bool Broken() const;
};

struct TrialPlan {
  std::string policy;
  int threads = 1;
  std::function<void(std::size_t run, double share)> progressed;  // may be empty
};
Result<std::vector<Trial>> RunTrials(const World& world, const TrialPlan& plan,
                                     std::span<const Traffic> traffics);

// What trials say about an agreement's share on a new traffic.
struct PredictedShare {
  double mean = 0;
  double low = 0;     // exceeded with the confidence
  double high = 0;    // not exceeded with the confidence
  double margin = 0;  // that is exceeded with the confidence
};

struct Forecast {
  // The margin by which everybody's promise is kept on a new traffic, with the confidence; none
  // where nobody was promised anything.
  std::optional<double> worst_margin;
  std::vector<std::optional<PredictedShare>> shares;  // by agreement; none for best effort
};
// From four trials on, of traffics that are among the drawn. Agreements of one group, network and
// promise pool their deviations, and their chances.
Forecast Predict(const World& world, std::span<const Trial> trials, std::span<const Traffic> drawn,
                 double confidence);

}  // namespace fairlead
