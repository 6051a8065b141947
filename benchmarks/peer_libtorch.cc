// How long does libtorch take for the network of a learned policy over the rows of one decision,
// and how long do we? The same weights and rows, in turns, on one thread.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "benchmarks/harness.h"
#include "fairlead/base/random.h"
#include "fairlead/learning/decision_encoder.h"
#include "fairlead/learning/decision_features.h"
#include "fairlead/learning/torch/learner.h"
#include "fairlead/neural/gru.h"

namespace fairlead {
namespace {

constexpr double kAsked = 150;  // microseconds for 20 rows
constexpr std::size_t kRowCounts[] = {1, 5, 20, 64};

struct Options {
  int rounds = 20;
  int runs = 100;
};

// Features as libtorch takes them: row after row, the system's before those of the row.
std::vector<float> Together(const std::vector<float>& system, const std::vector<float>& rows) {
  const std::size_t width = DecisionEncoder::Width(Awareness::kIndicators);
  std::vector<float> all;
  for (std::size_t first = 0; first < rows.size(); first += width) {
    all.insert(all.end(), system.begin(), system.end());
    all.insert(all.end(), rows.begin() + static_cast<std::ptrdiff_t>(first),
               rows.begin() + static_cast<std::ptrdiff_t>(first + width));
  }
  return all;
}

void Compare(const Options& options, const ActorLearner& torch, std::size_t count) {
  RandomStream random(2, "rows");
  const auto draw = [&](std::size_t size) {
    std::vector<float> numbers(size);
    for (float& number : numbers) number = static_cast<float>(2 * random.Uniform() - 1);
    return numbers;
  };
  const std::vector<float> system = draw(kSystemFeatures);
  const std::vector<float> rows = draw(count * DecisionEncoder::Width(Awareness::kIndicators));
  const std::vector<float> together = Together(system, rows);
  const GruNetwork network = torch.Weights();
  GruRunner runner(network, BestVectorCode());
  std::vector<float> ours(count * kActionsPerRow);
  std::vector<float> theirs;
  double our_best = 1e18;
  double their_best = 1e18;
  for (int round = 0; round < options.rounds; ++round) {
    const Meter our_meter;
    for (int run = 0; run < options.runs; ++run) runner.Run(system, rows, count, ours);
    our_best = std::min(our_best, our_meter.Read().processor * 1e6 / options.runs);
    const Meter their_meter;
    for (int run = 0; run < options.runs; ++run) theirs = torch.Act(together);
    their_best = std::min(their_best, their_meter.Read().processor * 1e6 / options.runs);
  }
  double apart = 0;
  for (std::size_t i = 0; i < ours.size(); ++i)
    apart =
        std::max(apart, std::abs(static_cast<double>(ours[i]) - static_cast<double>(theirs[i])));
  fmt::print("{:>5} rows: ours {:>7.1f}, libtorch {:>7.1f}, {:>5.2f} times ours; apart by {:.1e}\n",
             count, our_best, their_best, their_best / our_best, apart);
}

void RunAll(const Options& options) {
  const ActorShape shape{.features = static_cast<int>(
                             kSystemFeatures + DecisionEncoder::Width(Awareness::kIndicators)),
                         .outputs = static_cast<int>(kActionsPerRow),
                         .hidden = 192};
  const auto torch = MakeActorLearner(shape, {.seed = 1, .gpu = false}, 1);
  fmt::print(
      "a GRU of {} units, microseconds on one core, the least of {} rounds (asked: {:.0f} for "
      "20 rows)\n",
      shape.hidden, options.rounds, kAsked);
  for (const std::size_t count : kRowCounts) Compare(options, *torch, count);
}

}  // namespace
}  // namespace fairlead

int main(int argc, char** argv) {
  fairlead::Options options;
  fairlead::Arguments arguments("peer_libtorch",
                                "How long does libtorch take for a decision's network, and we?");
  arguments.Add("--rounds", options.rounds, "of which the least counts; 20");
  arguments.Add("--runs", options.runs, "in each of them; 100");
  if (const auto status = arguments.Parse(argc, argv)) return *status;
  fairlead::RunAll(options);
  return 0;
}
