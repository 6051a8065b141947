#include "fairlead/execution/onednn/recipe_timing.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "fairlead/base/stopwatch.h"
#include "fairlead/execution/onednn/bound_recipe.h"
#include "fairlead/execution/onednn/memory_block.h"

namespace fairlead {
namespace {

constexpr int kRounds = 6;
constexpr int kSlowRounds = 3;
constexpr double kSlow = 3e6;         // nanoseconds: longer ones are disturbed less
constexpr double kHopeless = 3;       // times slower than the best: not timed again
constexpr double kContender = 1.25;   // at most so much slower than the best: timed again
constexpr double kTurn = 3e6;         // nanoseconds that a contender gets in a round
constexpr int kMostRuns = 20;         // in a turn
constexpr double kEndsThreads = 1e3;  // times its time: for a recipe that is the last resort

// Memory that all cases use in turn.
class SharedPlaces {
 public:
  explicit SharedPlaces(std::span<const TimingCase> cases) {
    for (const TimingCase& one : cases) {
      for (std::size_t i = 0; i < one.read_bytes.size(); ++i)
        Raise(read_bytes_, i, one.read_bytes[i]);
      output_bytes_ = std::max(output_bytes_, one.output_bytes);
      for (std::size_t i = 0; i < one.recipe->weights.size(); ++i)
        Raise(weight_bytes_, i, one.recipe->weights[i].to.get_size());
      scratch_bytes_ = std::max(scratch_bytes_, one.recipe->ScratchBytes());
    }
    for (std::size_t bytes : read_bytes_) places_.reads.push_back(Allocate(bytes));
    for (std::size_t bytes : weight_bytes_) places_.weights.push_back(Allocate(bytes));
    places_.output = Allocate(output_bytes_);
    places_.scratch = reinterpret_cast<std::byte*>(Allocate(scratch_bytes_));
  }

  const RecipePlaces& places() const { return places_; }

 private:
  static void Raise(std::vector<std::size_t>& sizes, std::size_t index, std::size_t bytes) {
    if (sizes.size() <= index) sizes.resize(index + 1);
    sizes[index] = std::max(sizes[index], bytes);
  }
  float* Allocate(std::size_t bytes) {
    blocks_.emplace_back(bytes);
    return blocks_.back().floats(0);
  }

  std::vector<std::size_t> read_bytes_;
  std::vector<std::size_t> weight_bytes_;
  std::size_t output_bytes_ = 0;
  std::size_t scratch_bytes_ = 0;
  std::vector<MemoryBlock> blocks_;
  RecipePlaces places_;
};

struct Contender {
  CompiledRecipe compiled;
  BoundRecipe bound;
  std::size_t index = 0;  // of its case
  double least = std::numeric_limits<double>::infinity();
};

double TimeOnce(Contender& contender, const dnnl::stream& stream) {
  const Stopwatch stopwatch;
  contender.bound.Run(stream);
  return static_cast<double>(stopwatch.ElapsedNanoseconds());
}

void TakeTurn(Contender& contender, const dnnl::stream& stream) {
  double total = 0;
  for (int i = 0; i < kMostRuns && total < kTurn; ++i) {
    const double time = TimeOnce(contender, stream);
    contender.least = std::min(contender.least, time);
    total += time;
  }
}

}  // namespace

std::vector<double> TimeRecipes(std::span<const TimingCase> cases, const dnnl::engine& engine,
                                const dnnl::stream& stream) {
  const SharedPlaces shared(cases);
  std::vector<double> times(cases.size(), std::numeric_limits<double>::infinity());
  std::vector<Contender> contenders;
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    try {
      const CompiledRecipe compiled(*cases[i].recipe);
      contenders.push_back({compiled, BoundRecipe(compiled, engine, shared.places()), i});
    } catch (const dnnl::error&) {  // it offers what it cannot make
      continue;
    }
    Contender& contender = contenders.back();
    contender.least = TimeOnce(contender, stream);  // touches the memory
    if (contender.bound.EndsThreads()) {            // calling them anew takes longer than any layer
      times[i] = kEndsThreads * contender.least;
      contenders.pop_back();
      continue;
    }
    if (contender.least < kHopeless * best) contender.least = TimeOnce(contender, stream);
    best = std::min(best, contender.least);
  }
  // Disturbed once, a good one may look bad: all but the hopeless get a second chance.
  double limit = kHopeless;
  const int rounds = best > kSlow ? kSlowRounds : kRounds;
  for (int round = 0; round < rounds; ++round) {
    for (Contender& contender : contenders) {
      if (contender.least > limit * best) continue;
      TakeTurn(contender, stream);
      best = std::min(best, contender.least);
    }
    limit = kContender;
  }
  for (const Contender& contender : contenders) times[contender.index] = contender.least;
  return times;
}

}  // namespace fairlead
