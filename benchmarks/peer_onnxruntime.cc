// How long does a network take on our processors for each millisecond of ONNX Runtime's, on the
// same cores in the same program? What does a boundary after every layer cost, and how soon does a
// cancelled run stop? README.md says what is fair about this.
#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "benchmarks/harness.h"
#include "benchmarks/onnxruntime_library.h"
#include "fairlead/base/random.h"
#include "fairlead/base/stopwatch.h"
#include "fairlead/execution/core_list.h"
#include "fairlead/execution/machine.h"
#include "fairlead/execution/onednn/cpu_partition.h"
#include "fairlead/execution/processor.h"
#include "fairlead/networks/onnx/onnx_import.h"
#include "fairlead/networks/operator_fusion.h"
#include "fairlead/profiling/resident_networks.h"
#include "fairlead/scenario/files.h"

namespace fairlead {
namespace {

constexpr double kMostDifference = 1e-2;  // of the largest output; more is another computation
constexpr int kWarmUps = 5;
constexpr int kLayerPasses = 10;
constexpr int kEmptyCalls = 100'000;

struct Options {
  std::string library;
  std::string cores = "0";
  int threads = 0;  // 0: as many as cores
  int runs = 50;
  std::vector<std::string> files;
};

// ---- Cores and quiet -----------------------------------------------------------------------

void Nap(double seconds) {
  std::this_thread::sleep_for(std::chrono::nanoseconds(std::llround(seconds * 1e9)));
}

// Waits until no thread of this process spins any more: neither side may pay for the other's.
void AwaitQuiet() {
  for (int i = 0; i < 100; ++i) {
    const Meter meter;
    Nap(1e-3);
    const Spent spent = meter.Read();
    if (spent.processor < 0.2 * spent.wall) return;
  }
}

// ---- One network on both sides -------------------------------------------------------------

class Pair {
 public:
  explicit Pair(PartitionThread& ours) : ours_(ours) {}

  Status Load(const std::string& file, OnnxRuntime& peer, int threads) {
    ASSIGN_OR_RETURN(const std::string bytes, ReadFile(file));
    ASSIGN_OR_RETURN(OperatorGraph graph, ImportOperators(file, bytes, {}));
    graph_ = FuseOperators(std::move(graph));
    const auto dims_of = [&](const std::vector<TensorIndex>& tensors) {
      std::vector<PeerDims> all;
      for (const TensorIndex tensor : tensors) {
        PeerDims& dims = all.emplace_back(graph_.tensors[tensor].dims);
        dims.insert(dims.begin(), 1);
      }
      return all;
    };
    ASSIGN_OR_RETURN(theirs_,
                     peer.Open(file, dims_of(graph_.inputs), dims_of(graph_.outputs), {threads}));
    Status status;
    ours_.Do([&] { status = LoadOurs(); });
    RETURN_IF_ERROR(std::move(status));
    FillInputs();
    return {};
  }

  std::size_t layers() const { return graph_.operators.size(); }

  void Whole() { run_->RunLayers(0, layers(), never_); }
  void LayerByLayer() {
    for (std::size_t layer = 0; layer < layers(); ++layer)
      run_->RunLayers(layer, layer + 1, never_);
  }
  void NoLayer() { run_->RunLayers(layers() / 2, layers() / 2, never_); }
  void OneLayer(std::size_t layer) { run_->RunLayers(layer, layer + 1, never_); }
  // False if the run came to its end before it was stopped.
  bool UntilStopped(const std::atomic<bool>& stop) {
    return run_->RunLayers(0, layers(), stop) < layers();
  }
  Status Theirs() { return theirs_->Run(); }

  // The largest difference of an output, over the largest output.
  double Difference() {
    double difference = 0;
    double largest = 0;
    for (std::size_t i = 0; i < graph_.outputs.size(); ++i) {
      const std::span<const float> ours = run_->Output(i);
      const std::span<const float> theirs = theirs_->Output(i);
      for (std::size_t j = 0; j < theirs.size(); ++j) {
        const double error =
            std::abs(static_cast<double>(ours[j]) - static_cast<double>(theirs[j]));
        if (!(error <= difference)) difference = error;  // also when it is no number
        largest = std::max(largest, static_cast<double>(std::abs(theirs[j])));
      }
    }
    return difference / largest;
  }

 private:
  Status LoadOurs() {
    ASSIGN_OR_RETURN(loaded_, ours_.processor().Load(graph_, 1));
    run_ = loaded_->NewRun();
    return {};
  }

  void FillInputs() {
    RandomStream random(1, "inputs");
    for (std::size_t i = 0; i < graph_.inputs.size(); ++i) {
      const std::span<float> theirs = theirs_->Input(i);
      for (float& number : theirs) number = static_cast<float>(random.Normal());
      std::ranges::copy(theirs, run_->Input(i).begin());
    }
  }

  PartitionThread& ours_;
  const std::atomic<bool> never_ = false;
  OperatorGraph graph_;
  std::unique_ptr<LoadedNetwork> loaded_;
  std::unique_ptr<NetworkRun> run_;
  std::unique_ptr<OnnxRuntimeSession> theirs_;
};

// ---- Measuring -----------------------------------------------------------------------------

struct Sample {
  std::vector<double> wall;       // seconds
  std::vector<double> processor;  // seconds, of all threads

  void Add(const Spent& spent) {
    wall.push_back(spent.wall);
    processor.push_back(spent.processor);
  }
  double Quartile() const { return Quantile(wall, 0.25); }
  double ProcessorQuartile() const { return Quantile(processor, 0.25); }
  // How many cores were busy, ours and theirs together.
  double Busy() const { return ProcessorQuartile() / Quartile(); }
};

struct Figures {
  Sample whole;
  Sample layerwise;
  Sample theirs;
  double empty_call = 0;             // seconds
  double longest_layer = 0;          // seconds
  std::vector<double> cancellation;  // seconds from the call to the return
  double difference = 0;
};

// Each side is quiet before its turn, and has a run that does not count before those that do: the
// caches are its own, and its threads awake.
void MeasureOurs(Pair& pair, bool whole_first, Figures& figures) {
  const auto measure = [&](Sample& sample, void (Pair::*run)()) {
    const Meter meter;
    (pair.*run)();
    sample.Add(meter.Read());
  };
  AwaitQuiet();
  pair.Whole();
  if (whole_first) measure(figures.whole, &Pair::Whole);
  measure(figures.layerwise, &Pair::LayerByLayer);
  if (!whole_first) measure(figures.whole, &Pair::Whole);
}

Status MeasureTheirs(Pair& pair, Figures& figures) {
  AwaitQuiet();
  RETURN_IF_ERROR(pair.Theirs());
  const Meter meter;
  RETURN_IF_ERROR(pair.Theirs());
  figures.theirs.Add(meter.Read());
  return {};
}

// What a boundary costs, by the pairs of runs with and without: their median, and how far it may be
// off (its standard error). Seconds.
struct BoundaryCost {
  double median = 0;
  double error = 0;
};

BoundaryCost BoundaryOf(const Figures& figures, std::size_t layers) {
  std::vector<double> costs;
  for (std::size_t i = 0; i < figures.whole.wall.size(); ++i)
    costs.push_back((figures.layerwise.wall[i] - figures.whole.wall[i]) /
                    static_cast<double>(layers));
  const double deviation = (Quantile(costs, 0.75) - Quantile(costs, 0.25)) / 1.349;
  return {.median = Quantile(costs, 0.5),
          .error = 1.253 * deviation / std::sqrt(static_cast<double>(costs.size()))};
}

// What a boundary is: one more call. Seconds for one that carries out no layer.
double EmptyCall(PartitionThread& ours, Pair& pair) {
  double seconds = 0;
  ours.Do([&] {
    const Stopwatch stopwatch;
    for (int i = 0; i < kEmptyCalls; ++i) pair.NoLayer();
    seconds = stopwatch.ElapsedSeconds() / kEmptyCalls;
  });
  return seconds;
}

double LongestLayer(PartitionThread& ours, Pair& pair) {
  std::vector<std::vector<double>> times(pair.layers());
  ours.Do([&] {
    for (int pass = 0; pass < kLayerPasses; ++pass) {
      for (std::size_t layer = 0; layer < pair.layers(); ++layer) {
        const Stopwatch stopwatch;
        pair.OneLayer(layer);
        times[layer].push_back(stopwatch.ElapsedSeconds());
      }
    }
  });
  double longest = 0;
  for (const std::vector<double>& sample : times)
    longest = std::max(longest, Quantile(sample, 0.25));
  return longest;
}

// Stops runs at random moments.
std::vector<double> Cancel(PartitionThread& ours, Pair& pair, double whole, int count) {
  RandomStream random(1, "cancellations");
  std::vector<double> times;
  for (int tries = 0; tries < 4 * count && std::ssize(times) < count; ++tries) {
    std::atomic<bool> stop = false;
    bool stopped = false;
    double returned = 0;
    const Stopwatch stopwatch;
    ours.Post([&] {
      stopped = pair.UntilStopped(stop);
      returned = stopwatch.ElapsedSeconds();
    });
    Nap(random.Uniform() * whole);
    const double asked = stopwatch.ElapsedSeconds();
    stop = true;
    ours.Wait();
    if (stopped) times.push_back(returned - asked);
  }
  return times;
}

Result<Figures> Compare(PartitionThread& ours, Pair& pair, int runs) {
  Figures figures;
  for (int i = 0; i < kWarmUps; ++i) {
    ours.Do([&] { pair.Whole(); });
    RETURN_IF_ERROR(pair.Theirs());
  }
  figures.difference = pair.Difference();
  for (int i = 0; i < runs; ++i) {
    ours.Do([&] { MeasureOurs(pair, i % 2 == 0, figures); });
    RETURN_IF_ERROR(MeasureTheirs(pair, figures));
  }
  figures.empty_call = EmptyCall(ours, pair);
  figures.longest_layer = LongestLayer(ours, pair);
  return figures;
}

// ---- Telling -------------------------------------------------------------------------------

constexpr std::string_view kRow =
    "{:20}{:>7}{:>9}{:>9}{:>7}{:>10}{:>10}{:>17}{:>6}{:>6}{:>6}{:>9}{:>10}{:>10}{:>9}\n";

void PrintHeading() {
  fmt::print(kRow, "", "layers", "ours", "theirs", "ratio", "processor", "layerwise", "boundary",
             "call", "busy", "busy", "longest", "cancelled", "cancelled", "differ-");
  fmt::print(kRow, "", "", "ms", "ms", "", "ratio", "ratio", "ns", "ns", "ours", "their",
             "layer us", "median us", "95 % us", "ence");
}

void Print(std::string_view name, const Pair& pair, const Figures& figures) {
  const auto number = [](double value, int digits) {
    return fmt::format("{:.{}f}", value, digits);
  };
  const auto cancelled = [&](double share) {
    if (figures.cancellation.empty()) return std::string("-");
    return number(Quantile(figures.cancellation, share) * 1e6, 0);
  };
  const Sample& whole = figures.whole;
  const Sample& theirs = figures.theirs;
  const BoundaryCost boundary = BoundaryOf(figures, pair.layers());
  fmt::print(kRow, name, pair.layers(), number(whole.Quartile() * 1e3, 3),
             number(theirs.Quartile() * 1e3, 3), number(whole.Quartile() / theirs.Quartile(), 3),
             number(whole.ProcessorQuartile() / theirs.ProcessorQuartile(), 3),
             number(figures.layerwise.Quartile() / theirs.Quartile(), 3),
             fmt::format("{:.0f} +-{:.0f}", boundary.median * 1e9, boundary.error * 1e9),
             number(figures.empty_call * 1e9, 0), number(whole.Busy(), 2), number(theirs.Busy(), 2),
             number(figures.longest_layer * 1e6, 0), cancelled(0.5), cancelled(0.95),
             fmt::format("{:.1e}", figures.difference));
  std::fflush(stdout);
}

void PrintSummary(const std::vector<double>& ratios, const std::vector<double>& layerwise) {
  const auto mean = [](const std::vector<double>& numbers) {
    double sum = 0;
    for (const double number : numbers) sum += std::log(number);
    return std::exp(sum / static_cast<double>(numbers.size()));
  };
  fmt::print(
      "\nours, theirs: lower quartiles; ratio: ours over theirs, below 1 we are faster\n"
      "processor: the same of processor time, which other programs disturb less\n"
      "layerwise: ratio with a boundary after every layer, which costs `boundary` each (median "
      "and\n"
      "standard error of pairs); call: what one more call takes that carries out no layer\n"
      "busy: cores of this process in use during a run\n"
      "longest layer: alone; cancelled: from the moment that a run is asked to stop until it has\n"
      "difference: of our outputs from theirs, over the largest\n"
      "geometric mean of {} networks: ratio {:.3f}, layerwise {:.3f}\n",
      ratios.size(), mean(ratios), mean(layerwise));
}

Status RunAll(const Options& options) {
  if (options.library.empty())
    return Fail(
        "--onnxruntime: where is its library? `npm install --ignore-scripts onnxruntime-node` "
        "brings node_modules/onnxruntime-node/bin/napi-v*/linux/x64/libonnxruntime.so.1");
  if (options.files.empty())
    return Fail("name ONNX files with weights; tests/onnx/export_torchvision.py makes some");
  const auto cores = ParseCores(options.cores);
  if (!cores.has_value()) return Fail("--cores: {}", cores.error().message);
  const int threads = options.threads > 0 ? options.threads : static_cast<int>(cores->size());
  const Machine& machine = Machine::This();
  const std::vector<int> all = machine.UsableCores();
  RETURN_IF_ERROR(machine.BindThread(*cores));  // before there are threads, ours or theirs

  ASSIGN_OR_RETURN(const auto peer, OnnxRuntime::Load(options.library));
  ASSIGN_OR_RETURN(const auto processor, MakeCpuPartition({.name = "cores", .cores = *cores}));
  ASSIGN_OR_RETURN(const auto thread, PartitionThread::Start(*processor));
  PartitionThread& ours = *thread;

  fmt::print("cores {}, ONNX Runtime {} with {} threads, {} runs each in turns\n\n", options.cores,
             peer->version(), threads, options.runs);
  PrintHeading();
  std::vector<double> ratios;
  std::vector<double> layerwise;
  for (const std::string& file : options.files) {
    RETURN_IF_ERROR(machine.BindThread(*cores));
    Pair pair(ours);
    RETURN_IF_ERROR(pair.Load(file, *peer, threads));
    ASSIGN_OR_RETURN(Figures figures, Compare(ours, pair, options.runs));
    RETURN_IF_ERROR(machine.BindThread(all));  // who stops a run need not wait for its core
    figures.cancellation = Cancel(ours, pair, figures.whole.Quartile(), options.runs);
    Print(std::filesystem::path(file).stem().string(), pair, figures);
    if (!(figures.difference <= kMostDifference))
      return Fail("{}: the outputs differ by {:.1e} of the largest: not the same computation", file,
                  figures.difference);
    ratios.push_back(figures.whole.Quartile() / figures.theirs.Quartile());
    layerwise.push_back(figures.layerwise.Quartile() / figures.theirs.Quartile());
  }
  PrintSummary(ratios, layerwise);
  return {};
}

}  // namespace
}  // namespace fairlead

int main(int argc, char** argv) {
  fairlead::Options options;
  if (const char* library = std::getenv("FAIRLEAD_ONNXRUNTIME")) options.library = library;
  fairlead::Arguments arguments("peer_onnxruntime",
                                "How long do networks take here, over ONNX Runtime's time?");
  arguments.Add("--onnxruntime", options.library,
                "path of libonnxruntime.so; else $FAIRLEAD_ONNXRUNTIME");
  arguments.Add("--cores", options.cores, "for both: a list; 0");
  arguments.Add("--threads", options.threads, "of ONNX Runtime; as many as cores");
  arguments.Add("--runs", options.runs, "of each, in turns; 50");
  arguments.AddRest("NETWORK.onnx ...", options.files);
  if (const auto status = arguments.Parse(argc, argv)) return *status;
  const fairlead::Status status = fairlead::RunAll(options);
  if (status.has_value()) return 0;
  fmt::print(stderr, "peer_onnxruntime: {}\n", status.error().message);
  return 1;
}
