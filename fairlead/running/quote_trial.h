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
#include "fairlead/report/figures.h"
#include "fairlead/running/quote_chances.h"
#include "fairlead/running/quote_traffic.h"
#include "fairlead/world/world.h"

namespace fairlead {

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
