#include "fairlead/execution/onednn/cpu_partition.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <new>
#include <numeric>
#include <utility>

#include "fairlead/base/stopwatch.h"
#include "fairlead/execution/machine.h"
#include "fairlead/execution/memory_shortage.h"
#include "fairlead/execution/onednn/cpu_network.h"
#include "fairlead/execution/onednn/load_limits.h"
#include "fairlead/execution/onednn/openmp_team.h"
#include "fairlead/execution/onednn/tuner.h"

namespace fairlead {
namespace {

// The sum over layers of the least time in a few passes, in nanoseconds: what disturbs a pass
// seldom disturbs the same layer in each.
double TimeWhole(const LoadedNetwork& network) {
  constexpr int kMostPasses = 8;
  constexpr int kFewestPasses = 3;
  constexpr double kLongest = 1;  // second for all
  const std::unique_ptr<NetworkRun> run = network.NewRun();
  const std::atomic<bool> never = false;
  std::vector<double> least(network.LayerCount(), std::numeric_limits<double>::infinity());
  const Stopwatch total;
  for (int pass = 0; pass < kMostPasses; ++pass) {
    if (pass >= kFewestPasses && total.ElapsedSeconds() > kLongest) break;
    for (std::size_t layer = 0; layer < least.size(); ++layer) {
      const Stopwatch stopwatch;
      run->RunLayers(layer, layer + 1, never);
      least[layer] = std::min(least[layer], static_cast<double>(stopwatch.ElapsedNanoseconds()));
    }
  }
  return std::accumulate(least.begin(), least.end(), 0.0);
}

class CpuPartition final : public Processor {
 public:
  explicit CpuPartition(const CpuPartitionSpec& spec)
      : spec_(spec), context_(std::make_shared<CpuContext>()), cache_(spec.cache_folder) {
    // oneDNN's cache takes implementations of one description for each other.
    dnnl::set_primitive_cache_capacity(0);
    auto context = std::make_shared<CpuContext>();
    context->engine = dnnl::engine(dnnl::engine::kind::cpu, 0);
    context->stream = dnnl::stream(context->engine);
    context_ = std::move(context);
  }

  const std::string& name() const override { return spec_.name; }

  Status Enter() override {
    if (const Status bound = BindTeam(spec_.cores); !bound.has_value())
      return Fail("partition '{}': {}", spec_.name, bound.error().message);
    return {};
  }

  Result<std::unique_ptr<LoadedNetwork>> Load(const OperatorGraph& graph,
                                              std::size_t batch) override {
    if (batch == 0) return Fail("network '{}': a batch of 0", graph.name);
    RETURN_IF_ERROR(CheckLoadLimits(graph, batch));
    const RefusableWork refusable;
    try {
      auto network = LoadTuned(graph, batch);
      if (!network.has_value()) return tl::unexpected(network.error());
      return std::unique_ptr<LoadedNetwork>(std::move(*network));
    } catch (const dnnl::error& error) {
      return Fail("network '{}': oneDNN fails: {}", graph.name, error.what());
    } catch (const std::bad_alloc&) {
      return Fail("network '{}': not enough memory for batch {}", graph.name, batch);
    } catch (const std::exception& error) {
      return Fail("network '{}': {}", graph.name, error.what());
    }
  }

  // As tunings are: what is the fastest on so many cores is so on as many others.
  bool SharesRunsWith(const Processor& other) const override {
    const auto* const partition = dynamic_cast<const CpuPartition*>(&other);
    return partition != nullptr && partition->spec_.cores.size() == spec_.cores.size() &&
           partition->spec_.cap == spec_.cap;
  }

 private:
  Result<std::unique_ptr<CpuNetwork>> LoadTuned(const OperatorGraph& graph, std::size_t batch) {
    ASSIGN_OR_RETURN(const LayerRecipes recipes,
                     FindRecipes(context_->engine, graph, batch, spec_.cap));
    Tuner tuner(context_->engine, context_->stream, cache_,
                {static_cast<int>(spec_.cores.size()),
                 fmt::format("t{} {}", spec_.cores.size(), Name(spec_.cap))});
    if (const auto known = tuner.Remembered({recipes, batch, graph.manner}); known.has_value()) {
      auto network = CpuNetwork::Make(context_, graph, batch, recipes, *known);
      if (network.has_value()) return network;
    }
    ASSIGN_OR_RETURN(auto network, FastestOf(graph, batch, recipes, tuner));
    static_cast<void>(cache_.Save());  // measured again next time
    return network;
  }

  // Layers were timed alone; whole passes decide.
  Result<std::unique_ptr<CpuNetwork>> FastestOf(const OperatorGraph& graph, std::size_t batch,
                                                const LayerRecipes& recipes, Tuner& tuner) {
    constexpr double kClose = 1.05;  // to the best: may be better in truth
    std::unique_ptr<CpuNetwork> fastest;
    Error failure;
    double least = std::numeric_limits<double>::infinity();
    const std::vector<RatedChoice> choices = tuner.Choose(graph, batch, recipes);
    for (const auto& [choice, nanoseconds] : choices) {
      if (nanoseconds > kClose * choices.front().nanoseconds) break;
      auto made = CpuNetwork::Make(context_, graph, batch, recipes, choice);
      if (!made.has_value()) {  // choices differ in the memory that they need
        failure = made.error();
        continue;
      }
      std::unique_ptr<CpuNetwork> network = std::move(*made);
      // Alone the gentle are not the fastest: what they are rated by has to do.
      const bool gentle = graph.manner == ExecutionManner::kGentle;
      const double time = gentle ? nanoseconds : TimeWhole(*network);
      if (time >= least) continue;
      least = time;
      fastest = std::move(network);
      tuner.Remember({recipes, batch, graph.manner}, choice);
    }
    if (fastest == nullptr) return tl::unexpected(failure);
    return fastest;
  }

  const CpuPartitionSpec spec_;
  std::shared_ptr<const CpuContext> context_;
  TuningCache cache_;
};

}  // namespace

Result<std::unique_ptr<Processor>> MakeCpuPartition(const CpuPartitionSpec& spec) {
  if (spec.cores.empty()) return Fail("partition '{}' has no cores", spec.name);
  const std::vector<int> usable = Machine::This().UsableCores();
  for (std::size_t i = 0; i < spec.cores.size(); ++i) {
    const int core = spec.cores[i];
    if (std::ranges::find(usable, core) == usable.end())
      return Fail("partition '{}': there is no core {}; this process may use {}", spec.name, core,
                  fmt::join(usable, ","));
    if (std::ranges::count(spec.cores, core) > 1)
      return Fail("partition '{}' has core {} twice", spec.name, core);
  }
  try {
    return std::unique_ptr<Processor>(std::make_unique<CpuPartition>(spec));
  } catch (const dnnl::error& error) {
    return Fail("partition '{}': oneDNN fails: {}", spec.name, error.what());
  } catch (const std::exception& error) {
    return Fail("partition '{}': {}", spec.name, error.what());
  }
}

}  // namespace fairlead
