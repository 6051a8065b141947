#include "experiments/kinds/goal_platforms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "fairlead/base/check.h"
#include "fairlead/base/random.h"
#include "fairlead/interference/slowdown_fit.h"
#include "fairlead/running/experiments.h"
#include "fairlead/world/world_slowdowns.h"

namespace fairlead {
namespace {

constexpr double kXavierBandwidth = 43e9;  // bytes per second
constexpr double kMeasuringNoise = 0.01;   // of simulated co-runs: deviation of the logarithm
constexpr std::string_view kAllOfXavier =
    "densenet121, efficientnet-b0, googlenet, inception-v3, mnasnet1-0, mobilenet-v2, "
    "mobilenet-v3-large, resnet18, resnet50, squeezenet1-1, vgg16, wide-resnet50-2";

// Those of lines 3, 5, ...: the header is line 1, and the truth was fitted to even lines.
template <typename Row>
std::vector<Row> OddLines(const std::vector<Row>& rows, std::size_t most) {
  std::vector<Row> odd;
  for (std::size_t i = 1; i < rows.size() && odd.size() < most; i += 2) odd.push_back(rows[i]);
  return odd;
}

void SetConstant(GoalPlatform& platform, std::span<const double> slowdowns) {
  const auto count = static_cast<double>(slowdowns.size());
  platform.factor = std::accumulate(slowdowns.begin(), slowdowns.end(), 0.0) / count;
  platform.constant =
      std::make_shared<SlowdownModel>(SlowdownModel::Constant(std::max(1.0, platform.factor)));
}

Result<World> WorldFrom(const std::string& text) {
  ASSIGN_OR_RETURN(Scenario scenario, ParseScenario("goal.yaml", text));
  ASSIGN_OR_RETURN(const auto world, BuildWorld(std::move(scenario), &ReadFile));
  return *world;
}

// A set of segments drawn for some or all accelerators of a world.
std::vector<PlacedOccupant> DrawPlacement(const World& world, double busy, RandomStream& random) {
  std::vector<PlacedOccupant> placed;
  for (std::size_t a = 0; a < world.platform.accelerators.size(); ++a) {
    if (random.Uniform() >= busy) continue;
    const KindId kind = world.platform.accelerators[a].kind;
    for (int tries = 0; tries < 100; ++tries) {
      const NetworkId network{random.Below(world.networks.size())};
      const SegmentId segment{random.Below(world.networks[network.index()].size())};
      if (world.truth->Alone(network, segment, kind) == nullptr) continue;
      placed.push_back({AcceleratorId{a}, network, segment});
      break;
    }
  }
  return placed;
}

// What a regressor is told about the occupant of a set.
std::vector<float> InputsOf(const SegmentSlowdowns& slowdowns, const PlacedOccupant& one,
                            std::span<const PlacedOccupant> placed) {
  std::vector<const Occupant*> occupants(slowdowns.partitions(), nullptr);
  for (const PlacedOccupant& other : placed)
    occupants[slowdowns.PartitionOf(other.accelerator)] = &slowdowns.SequenceOf(other).mean;
  std::vector<float> inputs(LayerInputs(occupants.size()));
  FillLayerInputs(occupants, slowdowns.PartitionOf(one.accelerator), inputs);
  return inputs;
}

// Boosting, taught by co-runs of single layers simulated under the truth, with an error of
// measuring.
Result<std::shared_ptr<const SlowdownModel>> LearnBySimulating(
    const std::shared_ptr<const SlowdownModel>& truth, std::size_t co_runs) {
  ASSIGN_OR_RETURN(const World layers,
                   WorldFrom(fmt::format("platform: xavier\nhorizon: 1s\nnetworks: {{segments: "
                                         "layers}}\ntenants: [{{name: t, networks: [{}], rate: "
                                         "1/s}}]\n",
                                         kAllOfXavier)));
  const auto slowdowns = SlowdownsIn(layers, truth);
  RandomStream random(101, "co-runs");
  Examples examples;
  examples.width = LayerInputs(slowdowns->partitions());
  while (examples.size() < co_runs) {
    const auto placed = DrawPlacement(layers, 0.8, random);
    for (const PlacedOccupant& one : placed) {
      const double slowdown = slowdowns->Of(one, placed);
      const double alone = slowdowns->Of(one, std::span(&one, 1));
      examples.Add(
          InputsOf(*slowdowns, one, placed),
          static_cast<float>(std::log(slowdown / alone) + kMeasuringNoise * random.Normal()));
    }
  }
  ASSIGN_OR_RETURN(const Learner* boosting, FindLearner("boosting"));
  auto model = std::make_shared<SlowdownModel>(SlowdownModel::Learned(slowdowns->partitions()));
  model->SetLayers({"boosting", boosting->fit(examples, {.seed = 101})});
  return std::shared_ptr<const SlowdownModel>(std::move(model));
}

double AccuracyAgainst(const World& world, const GoalPlatform& platform) {
  const auto truth = PlacementSlowdowns(world, platform.truth, 300, 102);
  const auto believed = PlacementSlowdowns(world, platform.learned, 300, 102);
  double error = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) error += std::abs(believed[i] / truth[i] - 1);
  return 1 - error / static_cast<double>(truth.size());
}

}  // namespace

TableText TableOfH200(std::string_view name) {
  const std::string path = fmt::format("data/h200/{}", name);
  auto text = ShippedText(path, ReadFile);
  CHECK(text.has_value());
  return {path, std::move(*text)};
}

Result<GoalPlatform> MeasuredGoalPlatform(bool quick) {
  GoalPlatform platform{.name = "h200", .ready = "h200-partitions"};
  const TableText file = TableOfH200("truth.slowdown");
  ASSIGN_OR_RETURN(SlowdownModel truth, SlowdownModel::Read(file.file, file.text));
  platform.truth = std::make_shared<SlowdownModel>(std::move(truth));
  ASSIGN_OR_RETURN(const MachineData machine,
                   ReadMachineData(TableOfH200("layers.csv"), TableOfH200("models.csv"),
                                   TableOfH200("networks.csv")));
  ASSIGN_OR_RETURN(const auto all_runs, ReadCoRuns(machine, TableOfH200("corun_train.csv")));
  ASSIGN_OR_RETURN(const auto all_mixes, ReadMixtures(machine, TableOfH200("mixes_train.csv")));
  const auto runs = OddLines(all_runs, quick ? 2'000 : all_runs.size());
  const auto mixes = OddLines(all_mixes, all_mixes.size());
  ASSIGN_OR_RETURN(const Learner* boosting, FindLearner("boosting"));
  const SlowdownFitter fitter(machine, {*boosting, *boosting}, {.seed = 101});
  auto learned = std::make_shared<SlowdownModel>(SlowdownModel::Learned(machine.partitions));
  RETURN_IF_ERROR(fitter.FitLayers(*learned, runs));
  RETURN_IF_ERROR(fitter.FitNetworks(*learned, mixes));
  platform.learned = learned;
  std::vector<double> slowdowns;
  for (const NetworkMixture& mixture : mixes) {
    for (std::size_t p = 0; p < mixture.networks.size(); ++p) {
      if (mixture.networks[p].has_value())
        slowdowns.push_back(mixture.us[p] / machine.networks[*mixture.networks[p]].us[p]);
    }
  }
  SetConstant(platform, slowdowns);
  constexpr std::array<std::string_view, 4> kSome = {"resnet50", "vgg16", "mobilenet-v2",
                                                     "googlenet"};
  ASSIGN_OR_RETURN(const World world, GoalWorld(platform, kSome, std::array{1, 1, 1, 1}, 1000));
  platform.accuracy = AccuracyAgainst(world, platform);
  return platform;
}

Result<GoalPlatform> SyntheticGoalPlatform(bool quick) {
  GoalPlatform platform{.name = "xavier", .ready = "xavier", .synthetic = true};
  platform.truth =
      std::make_shared<SlowdownModel>(SlowdownModel::SharedBandwidth(kXavierBandwidth));
  ASSIGN_OR_RETURN(platform.learned, LearnBySimulating(platform.truth, quick ? 3'000 : 20'000));
  std::vector<std::string_view> all;
  std::string_view rest = kAllOfXavier;
  for (std::size_t comma = 0; comma != std::string_view::npos;) {
    comma = rest.find(", ");
    all.push_back(rest.substr(0, comma));
    if (comma != std::string_view::npos) rest.remove_prefix(comma + 2);
  }
  const std::vector<int> ratio(all.size(), 1);
  ASSIGN_OR_RETURN(const World world, GoalWorld(platform, all, ratio, 1000));
  SetConstant(platform, PlacementSlowdowns(world, platform.truth, 1000, 101));
  platform.accuracy = AccuracyAgainst(world, platform);
  return platform;
}

Result<World> GoalWorld(const GoalPlatform& platform, std::span<const std::string_view> networks,
                        std::span<const int> ratio, double requests) {
  CHECK(networks.size() == ratio.size());
  std::string text = fmt::format(
      "platform: {}\nhorizon: 1s\nnetworks: {{segments: whole}}\narrivals: {{process: poisson}}\n"
      "deadlines: {{factor: 6, levels: [1]}}\nload: 1.0\ntenants:\n",
      platform.ready);
  for (std::size_t i = 0; i < networks.size(); ++i)
    text += fmt::format("  - {{name: {0}, networks: [{0}], share: {1}}}\n", networks[i], ratio[i]);
  ASSIGN_OR_RETURN(World world, WorldFrom(text));
  double rate = 0;
  for (const PlannedAgreement& planned : world.agreements) rate += MeanRate(planned.arrivals);
  const auto length = static_cast<std::int64_t>(requests / rate * 1e9);
  world.scenario.warm_up = Duration{length / 10};
  world.scenario.horizon = Duration{length + length / 10};
  SetTrueSlowdowns(world, platform.truth);
  return world;
}

std::vector<double> PlacementSlowdowns(const World& world,
                                       const std::shared_ptr<const SlowdownModel>& model,
                                       std::size_t placements, std::uint64_t seed) {
  const auto slowdowns = SlowdownsIn(world, model);
  RandomStream random(seed, "placements");
  std::vector<double> found;
  for (std::size_t i = 0; i < placements; ++i) {
    const auto placed = DrawPlacement(world, 1.1, random);
    for (const PlacedOccupant& one : placed)
      found.push_back(slowdowns->Of(one, placed) / slowdowns->Of(one, std::span(&one, 1)));
  }
  return found;
}

}  // namespace fairlead
