// Sharing scenarios that the program carries, under many mechanisms and seeds, on all cores: what
// experiments on sharing are made of.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/plots/xy_plot.h"
#include "fairlead/running/experiments.h"
#include "fairlead/running/share.h"

namespace fairlead {

// scenarios/sharing/NAME.yaml.
Result<SharingScenario> ShippedSharingScenario(std::string_view name);

struct ShareGridCase {
  std::string name;  // of the series and numbers: "mtf-hedge"
  ShareEntry entry;
};

class ShareGrid {
 public:
  // Every case at every queue utility and seed; fewer of both where the plan is quick.
  static Result<ShareGrid> Run(const SharingScenario& scenario,
                               std::span<const ShareGridCase> cases, const ExperimentPlan& plan,
                               bool envy = false);

  int worlds() const { return static_cast<int>(loads_.size()); }
  int seeds() const { return seeds_; }
  double load(int world) const { return loads_[static_cast<std::size_t>(world)]; }
  const ShareRun& At(int world, int seed, std::size_t a_case) const;

  using Measure = double (*)(const ShareRun&);
  // By seed: the mean over all worlds, or of one.
  std::vector<double> BySeed(std::size_t a_case, Measure measure) const;
  std::vector<double> BySeed(std::size_t a_case, Measure measure, int world) const;
  // By seed: the mean over worlds of one case's over another's.
  std::vector<double> RatioBySeed(std::size_t a_case, std::size_t other, Measure measure) const;

  // The measure over queue utilities, a line for each case.
  std::string Plot(std::span<const ShareGridCase> cases, Measure measure, std::string_view label,
                   std::string_view unit) const;

 private:
  ShareGrid() = default;

  int seeds_ = 0;
  std::size_t cases_ = 0;
  std::vector<double> loads_;
  std::vector<ShareRun> runs_;  // world by world, seed by seed, case by case
};

inline double WelfareOf(const ShareRun& run) { return run.welfare; }

// How many seeds a plan asks for.
inline int SeedsOf(const ExperimentPlan& plan) { return plan.quick ? 2 : plan.seeds; }

void AddNumber(ExperimentResults& results, std::string name, std::span<const double> values);

}  // namespace fairlead
