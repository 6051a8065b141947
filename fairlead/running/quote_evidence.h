// Judging one world for quote and provision: proof, heavy traffic, prediction.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/running/quote_traffic.h"
#include "fairlead/running/quote_trial.h"
#include "fairlead/world/world.h"

namespace fairlead {

// Which of the drawn traffics are simulated.
struct ChosenTraffic {
  std::vector<Traffic> drawn;
  std::vector<Traffic> heavy;   // two: at most one in a hundred is heavier
  std::vector<Traffic> others;  // as they were drawn
};
// `simulated` of at least 4 in all; 0: as many as the work of one allows, from 6 to 12.
ChosenTraffic ChooseTraffic(const World& world, const TrafficDraw& draw, int simulated);

enum class Verdict : std::uint8_t {
  kProvablyNot,
  kBroken,     // a promise, on a simulated traffic
  kUncertain,  // kept on all that were simulated, but not with the confidence on a new one
  kKeeps,
};

struct Evidence {
  Verdict verdict = Verdict::kBroken;
  std::vector<Trial> trials;         // heavy ones first
  std::optional<Forecast> forecast;  // none where the heavy ones settled it
};

// How much to find out about a world that does not keep all.
enum class AfterProof : std::uint8_t { kStop, kSimulate };

struct JudgingPlan {
  TrialPlan plan;
  double confidence = 0.99;
  AfterProof after_proof = AfterProof::kSimulate;
};
// The traffics are of this world, or of one that asks for more.
Result<Evidence> Judge(const World& world, const ChosenTraffic& traffic,
                       const JudgingPlan& judging);

// The worst margin of all trials.
double WorstMargin(const std::vector<Trial>& trials);
// The share of promises that all trials kept.
double KeptShare(const std::vector<Trial>& trials);

}  // namespace fairlead
