// How long does the network of a learned policy think about 20 ready segments, with which
// instructions? How long does a whole decision of each learned policy take over as many? How many
// decisions a second does the environment give a learner on one core, simulator and encoder
// included? And how far does the frame of the learned policies come with the rule of edf-h instead
// of a network?
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/decision_world.h"
#include "benchmarks/harness.h"
#include "fairlead/base/random.h"
#include "fairlead/learning/environment.h"
#include "fairlead/learning/learned_policy.h"
#include "fairlead/neural/gru.h"
#include "fairlead/running/seeded_world.h"

namespace fairlead {
namespace {

constexpr double kAskedMicroseconds = 150;  // for kRows
constexpr std::size_t kRows = 20;
constexpr double kAskedDecisions = 200'000;  // a second
constexpr int kHidden = 192;

struct Options {
  int repetitions = 5;
  std::string scenario = "scenarios/fairness.yaml";
};

std::vector<float> Draw(RandomStream& random, std::size_t count) {
  std::vector<float> numbers(count);
  for (float& number : numbers) number = static_cast<float>(0.2 * (random.Uniform() - 0.5));
  return numbers;
}

GruNetwork DrawNetwork(std::size_t inputs) {
  RandomStream random(1, "gru");
  constexpr std::size_t kUnits = kHidden;
  return {.name = "drawn",
          .inputs = static_cast<int>(inputs),
          .hidden = kHidden,
          .outputs = static_cast<int>(kActionsPerRow),
          .input_weights = Draw(random, 3 * kUnits * inputs),
          .hidden_weights = Draw(random, 3 * kUnits * kUnits),
          .input_biases = Draw(random, 3 * kUnits),
          .hidden_biases = Draw(random, 3 * kUnits),
          .head_weights = Draw(random, kActionsPerRow * kUnits),
          .head_biases = Draw(random, kActionsPerRow)};
}

// Microseconds of processor time for each of many runs over kRows rows: the best of some trials.
double Think(const GruNetwork& network, VectorCode code, int repetitions) {
  constexpr int kRuns = 500;
  GruRunner runner(network, code);
  RandomStream random(2, "rows");
  const std::vector<float> system = Draw(random, kSystemFeatures);
  const std::vector<float> rows =
      Draw(random, kRows * (static_cast<std::size_t>(network.inputs) - kSystemFeatures));
  std::vector<float> answers(kRows * kActionsPerRow);
  double best = 1e18;
  for (int i = 0; i < repetitions; ++i) {
    const Meter meter;
    for (int run = 0; run < kRuns; ++run) runner.Run(system, rows, kRows, answers);
    best = std::min(best, meter.Read().processor * 1e6 / kRuns);
  }
  return best;
}

void MeasureThinking(const Options& options) {
  fmt::print("a GRU of {} units over {} rows, microseconds on one core (asked: {:.0f})\n", kHidden,
             kRows, kAskedMicroseconds);
  const GruNetwork network =
      DrawNetwork(kSystemFeatures + DecisionEncoder::Width(Awareness::kIndicators));
  const double plain = Think(network, VectorCode::kPlain, options.repetitions);
  constexpr std::pair<VectorCode, std::string_view> kCodes[] = {
      {VectorCode::kPlain, "plain"}, {VectorCode::kAvx2, "AVX2"}, {VectorCode::kAvx512, "AVX-512"}};
  for (const auto& [code, name] : kCodes) {
    if (!CanRun(code)) continue;
    const double taken = Think(network, code, options.repetitions);
    fmt::print("  {:8} {:>7.1f}   {:.2f} of plain   {:.2f} of what is asked\n", name, taken,
               taken / plain, taken / kAskedMicroseconds);
  }
}

// Whole decisions, from the engine's call to the plan, on eight accelerators of four kinds.
Status MeasureDecisions(const Options& options) {
  constexpr DecisionCase kCases[] = {
      {.name = "one idle", .idle = 1, .ready = kRows, .accelerators = 8},
      {.name = "half idle", .idle = 4, .ready = kRows, .accelerators = 8},
      {.name = "all idle", .idle = 8, .ready = kRows, .accelerators = 8},
  };
  fmt::print(
      "\na decision over {} ready segments on 8 accelerators, microseconds: median, and what 9 in "
      "10 take at most (asked: the GRU {:.0f})\n  {:24}",
      kRows, kAskedMicroseconds, "");
  for (const DecisionCase& the_case : kCases) fmt::print("{:>16}", the_case.name);
  fmt::print("\n");
  for (const std::string_view policy : {"edf-h:drop=early", "fairlead", "rl-sla",
                                        "rl-sla:refresh=none", "rl-baseline:refresh=none"}) {
    fmt::print("  {:24}", policy);
    for (const DecisionCase& the_case : kCases) {
      ASSIGN_OR_RETURN(const auto world, DecisionWorld::Create(the_case, policy));
      ASSIGN_OR_RETURN(const DecisionTimes times, world->Measure(400 * options.repetitions));
      fmt::print("{:>9.1f} {:>6.1f}", Quantile(times.decide, 0.5), Quantile(times.decide, 0.9));
    }
    fmt::print("\n");
  }
  return {};
}

// The earliest deadline first, by what the encoder shows: column 7 grows with the time until then.
void AnswerByDeadline(const DecisionFeatures& features, std::vector<float>& answers) {
  constexpr std::size_t kTimeLeft = 7;
  answers.assign(features.size() * kActionsPerRow, 0);
  for (std::size_t row = 0; row < features.size(); ++row)
    answers[row * kActionsPerRow] = -0.25F * features.Row(row)[kTimeLeft];
}

Status MeasureEnvironment(const Options& options, const World& world, std::size_t limit) {
  double best = 0;
  double shown = 0;
  double asked = 0;
  double hits = 0;
  for (int i = 0; i < options.repetitions; ++i) {
    SeededWorld seeded(world, 101);
    EnvironmentOptions environment_options;
    environment_options.frame.encoder = {.awareness = Awareness::kIndicators, .limit = limit};
    Environment environment(seeded.Setup(), environment_options);
    std::vector<float> answers;
    std::size_t rows = 0;
    const Meter meter;
    RETURN_IF_ERROR(environment.Begin());
    while (!environment.over()) {
      rows += environment.features().size();
      AnswerByDeadline(environment.features(), answers);
      ASSIGN_OR_RETURN(const StepResult step, environment.Step(answers));
      static_cast<void>(step);
    }
    const auto steps = static_cast<double>(environment.steps());
    best = std::max(best, steps / meter.Read().processor);
    shown = static_cast<double>(rows) / steps;
    asked = steps / static_cast<double>(environment.decisions());
    hits = environment.engine().state().ledger.MeasuredTotal().HitRateOr(0);
  }
  fmt::print(
      "  {:>4} rows at most: {:>9.0f} a second, {:.2f} of what is asked; {:.1f} rows each, {:.0f} "
      "% "
      "of all decisions; hits {:.2f} %\n",
      limit, best, best / kAskedDecisions, shown, 100 * asked, 100 * hits);
  return {};
}

Status RunAll(const Options& options) {
  MeasureThinking(options);
  RETURN_IF_ERROR(MeasureDecisions(options));
  WorldKnobs knobs{.scenario = options.scenario};
  knobs.horizon = std::chrono::seconds{10};
  ASSIGN_OR_RETURN(const auto world, LoadWorld(knobs));
  fmt::print(
      "\n{}: answered decisions a second on one core, encoder included (asked: {:.0f}); answers by "
      "deadline\n",
      options.scenario, kAskedDecisions);
  for (const std::size_t limit : {16, 64, 256})
    RETURN_IF_ERROR(MeasureEnvironment(options, *world, limit));
  for (const std::string_view policy : {"edf-h:drop=early", "edf-share"}) {
    ASSIGN_OR_RETURN(const MeasuredRun run, Simulate(*world, {.policy = policy}));
    fmt::print("  {}: {:.0f} decisions a second\n", policy,
               static_cast<double>(run.decisions) / run.spent.processor);
  }
  return {};
}

}  // namespace
}  // namespace fairlead

int main(int argc, char** argv) {
  fairlead::Options options;
  fairlead::Arguments arguments("learning_speed",
                                "How fast do learned policies think, and learners learn?");
  arguments.Add("--repetitions", options.repetitions, "of each measurement; 5");
  arguments.Add("--scenario", options.scenario, "another scenario");
  if (const auto status = arguments.Parse(argc, argv)) return *status;
  const fairlead::Status status = fairlead::RunAll(options);
  if (status.has_value()) return 0;
  fmt::print(stderr, "learning_speed: {}\n", status.error().message);
  return 1;
}
