#include <fmt/format.h>

#include <array>

#include "fairlead/running/share_grid.h"
#include "fairlead/running/sharing_experiments.h"

namespace fairlead {
namespace {

const std::vector<ShareGridCase>& WelfareCases() {
  static const std::vector<ShareGridCase> kCases = {
      {"mtf-actor-critic", {"most-token-first:useless=idle", "actor-critic"}},
      {"mtf-hedge", {"most-token-first:useless=idle", "hedge"}},
      {"mtf-0.0", {"most-token-first:useless=idle", "fixed:0"}},
      {"mtf-text", {"most-token-first", "actor-critic"}},
      {"gandiva-fair", {"gandiva-fair", "fixed:0"}},
      {"gandiva-fair-pool", {"gandiva-fair:scope=pool", "fixed:0"}},
      {"themis", {"themis", "fixed:0"}},
      {"themis-weighted", {"themis:rho=weighted", "fixed:0"}},
      {"max-min", {"max-min", "fixed:0"}},
      {"nash", {"nash", "fixed:0"}},
      {"karma", {"karma", "fixed:0"}},
      {"greedy", {"greedy", "fixed:0"}},
      {"mtf-plus", {"most-token-first-plus", "fixed:0"}},
  };
  return kCases;
}

struct WelfareSetting {
  const char* name;
  const char* words;
  double thesis;  // what the thesis has for both baselines together; 0: nothing
};

constexpr std::array kWelfareSettings = {
    WelfareSetting{"equal", "equal weights", 1.39},
    WelfareSetting{"weights-1-2", "weights 1 and 2", 1.43},
    WelfareSetting{"weights-1-2-4", "weights 1, 2 and 4", 1.25},
    WelfareSetting{"weights-1-2-8", "weights 1, 2 and 8", 1.14},
    WelfareSetting{"homogeneous", "equal weights, one speed", 0},
};

void AddSetting(const WelfareSetting& setting, const ShareGrid& grid, ExperimentResults& results) {
  const auto& cases = WelfareCases();
  std::string best;
  double most = 0;
  for (std::size_t c = 0; c < cases.size(); ++c) {
    const auto welfare = grid.BySeed(c, WelfareOf);
    AddNumber(results, fmt::format("welfare/{}/{}", setting.name, cases[c].name), welfare);
    AddNumber(results, fmt::format("of-oracle/{}/{}", setting.name, cases[c].name),
              grid.BySeed(c, [](const ShareRun& run) { return run.of_oracle; }));
    if (results.numbers[results.numbers.size() - 2].estimate.mean > most) {
      most = results.numbers[results.numbers.size() - 2].estimate.mean;
      best = cases[c].name;
    }
    if (c > 0)
      AddNumber(results, fmt::format("ratio/{}/{}", setting.name, cases[c].name),
                grid.RatioBySeed(0, c, WelfareOf));
    if (c + 1 < cases.size())  // the last is most-token-first-plus
      AddNumber(results, fmt::format("over-mtf-plus/{}/{}", setting.name, cases[c].name),
                grid.RatioBySeed(c, cases.size() - 1, WelfareOf));
  }
  const Estimate stride = EstimateMean(grid.RatioBySeed(0, 4, WelfareOf));
  const Estimate themis = EstimateMean(grid.RatioBySeed(0, 6, WelfareOf));
  std::string finding = fmt::format(
      "{}: most-token-first with actor-critic has {:.3f} times gandiva-fair's welfare and {:.3f} "
      "times "
      "themis's; the largest is {}'s.",
      setting.words, stride.mean, themis.mean, best);
  if (setting.thesis > 0) finding += fmt::format(" The thesis has {:.2f}.", setting.thesis);
  results.findings.push_back(std::move(finding));
  results.figures.push_back(
      {.name = fmt::format("welfare-{}", setting.name),
       .title = fmt::format("Weighted welfare, {}", setting.words),
       .svg = grid.Plot(cases, WelfareOf, fmt::format("Welfare with {}", setting.words),
                        "weighted welfare"),
       .caption = "Weighted mean of what agents had in a round, in rounds of their fastest "
                  "accelerator. It grows with what arrives; mechanisms lie close together."});
}

}  // namespace

Result<ExperimentResults> RunWelfareExperiment(const ExperimentPlan& plan) {
  ExperimentResults results;
  double done = 0;
  for (const WelfareSetting& setting : kWelfareSettings) {
    ASSIGN_OR_RETURN(const SharingScenario scenario, ShippedSharingScenario(setting.name));
    ASSIGN_OR_RETURN(const ShareGrid grid, ShareGrid::Run(scenario, WelfareCases(), plan));
    AddSetting(setting, grid, results);
    done += 1.0 / kWelfareSettings.size();
    if (plan.progressed) plan.progressed(done);
  }
  return results;
}

}  // namespace fairlead
