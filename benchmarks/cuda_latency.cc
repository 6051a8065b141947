// How long do networks take on parts of a GPU: as one graph, in pieces, layer by layer? How soon
// does a run end when it is stopped, and what does a boundary cost? What do parts cost each other?
//
//     cuda_latency [single|half] [estimate] [outputs] NETWORK.onnx ...
//
// The parts are those of data/h200: 64, 32, 16 and 16 multiprocessors. Weights that a file leaves
// out (it may keep them in a second one) are drawn at random. Times are of this machine's clock,
// from the input in the host's memory to the end of the last layer; medians, in microseconds. With
// `estimate`, cuDNN's algorithms are not searched.
//
// With `outputs` it compares instead what networks compute on all parts with what PyTorch does:
// with NETWORK.b1.out and NETWORK.b4.out, as tests/onnx/export_with_outputs.py writes them. A file
// that leaves weights out is refused then.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <latch>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "fairlead/base/check.h"
#include "fairlead/base/random.h"
#include "fairlead/base/stopwatch.h"
#include "fairlead/execution/cuda/cuda_processors.h"
#include "fairlead/networks/onnx/onnx_import.h"
#include "fairlead/networks/operator_fusion.h"
#include "fairlead/scenario/files.h"

namespace fairlead {
namespace {

constexpr std::array<int, 4> kParts = {64, 32, 16, 16};
constexpr std::size_t kMeasured = 3;  // of these: the last is like the one before
constexpr int kPasses = 100;
const std::atomic<bool> kGoOn = false;

double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double Microseconds(const Stopwatch& stopwatch) { return stopwatch.ElapsedSeconds() * 1e6; }

template <typename T>
T Checked(Result<T> result) {
  CHECK_MSG(result.has_value(), result.error().message);
  return std::move(*result);
}

struct Subject {
  std::string file;
  OperatorGraph graph;
};

// A network on one part.
struct Loaded {
  std::unique_ptr<LoadedNetwork> network;
  std::unique_ptr<NetworkRun> run;
  double load_seconds = 0;

  std::size_t layers() const { return network->LayerCount(); }
};

using Parts = std::vector<std::unique_ptr<Processor>>;

Parts MakeParts(const CudaOptions& options) {
  Parts parts = Checked(MakeCudaProcessors(kParts, options));
  for (auto& part : parts) CHECK(part->Enter().has_value());
  return parts;
}

Loaded LoadOn(Processor& part, const OperatorGraph& graph) {
  const Stopwatch stopwatch;
  Loaded loaded;
  loaded.network = Checked(part.Load(graph, 1));
  loaded.run = loaded.network->NewRun();
  loaded.load_seconds = stopwatch.ElapsedSeconds();
  RandomStream random(1, "image");
  for (float& value : loaded.run->Input(0)) value = static_cast<float>(random.Normal());
  for (int i = 0; i < 10; ++i) loaded.run->RunLayers(0, loaded.layers(), kGoOn);
  return loaded;
}

double WholeLatency(Loaded& loaded) {
  std::vector<double> times;
  for (int i = 0; i < kPasses; ++i) {
    const Stopwatch stopwatch;
    loaded.run->RunLayers(0, loaded.layers(), kGoOn);
    times.push_back(Microseconds(stopwatch));
  }
  return Median(std::move(times));
}

// Waiting for the GPU at each boundary, as an engine does that decides there.
double LatencyWithBoundaries(Loaded& loaded, std::size_t step) {
  std::vector<double> times;
  for (int i = 0; i < kPasses; ++i) {
    const Stopwatch stopwatch;
    for (std::size_t next = 0; next < loaded.layers();)
      next = loaded.run->RunLayers(next, std::min(next + step, loaded.layers()), kGoOn);
    times.push_back(Microseconds(stopwatch));
  }
  return Median(std::move(times));
}

struct StopTimes {
  double median = 0;
  double worst = 0;
};

// From the moment when a run is told to stop, somewhere on its way, to its end.
StopTimes TimeToStop(Loaded& loaded, double whole) {
  RandomStream random(1, "stops");
  std::vector<double> times;
  for (int i = 0; i < kPasses; ++i) {
    std::atomic<bool> stop = false;
    std::latch begun(1);
    Stopwatch since_stop;
    const double delay = random.Uniform() * whole * 0.8;
    std::thread stopper([&] {
      begun.wait();
      for (const Stopwatch waited; Microseconds(waited) < delay;) continue;
      since_stop = Stopwatch();
      stop = true;
    });
    begun.count_down();
    loaded.run->RunLayers(0, loaded.layers(), stop);
    const Stopwatch end;
    stopper.join();
    const auto elapsed = since_stop.ElapsedNanoseconds() - end.ElapsedNanoseconds();
    if (elapsed > 0) times.push_back(static_cast<double>(elapsed) * 1e-3);
  }
  return {Median(times), *std::max_element(times.begin(), times.end())};
}

std::vector<float> ReadNumbers(const std::string& file) {
  const std::string bytes = Checked(ReadFile(file));
  std::vector<float> numbers(bytes.size() / sizeof(float));
  std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(float));
  return numbers;
}

// The largest difference from PyTorch's outputs, in units of the largest of these.
double DifferenceOf(const Subject& subject, Processor& part, std::size_t batch) {
  const std::string stem =
      fmt::format("{}.b{}", subject.file.substr(0, subject.file.rfind('.')), batch);
  const std::vector<float> input = ReadNumbers(stem + ".in");
  const std::vector<float> expected = ReadNumbers(stem + ".out");
  const auto network = Checked(part.Load(subject.graph, batch));
  const auto run = network->NewRun();
  CHECK(run->Input(0).size() == input.size() && run->Output(0).size() == expected.size());
  std::copy(input.begin(), input.end(), run->Input(0).begin());
  run->RunLayers(0, network->LayerCount(), kGoOn);
  const std::span<const float> results = run->Output(0);
  double worst = 0;
  double largest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    largest = std::max<double>(largest, std::abs(expected[i]));
    const double difference = std::abs(results[i] - expected[i]);
    worst = std::isnan(difference) ? std::numeric_limits<double>::infinity()
                                   : std::max(worst, difference);
  }
  return worst / largest;
}

void ShowDifferences(const std::vector<Subject>& subjects, const CudaOptions& options) {
  const Parts parts = MakeParts(options);
  for (const Subject& subject : subjects) {
    fmt::print("{:<22} differs from PyTorch, in units of the largest output, by",
               subject.graph.name);
    for (std::size_t part = 0; part < kMeasured; ++part) {
      for (std::size_t batch : {1, 4})
        fmt::print(" {:.1e}", DifferenceOf(subject, *parts[part], batch));
    }
    fmt::print("\n");
  }
}

void ShowHeading() {
  fmt::print("{:<22} {:>6} {:>7} {:>7} {:>8} {:>9} {:>9} {:>9} {:>9}\n", "network", "part",
             "layers", "ahead", "load s", "latency", "each wait", "stopped", "at worst");
}

// A line of numbers.
void ShowLatency(std::string_view ahead, const Processor& part, Loaded& loaded) {
  const double whole = WholeLatency(loaded);
  const double boundaries = LatencyWithBoundaries(loaded, 1);
  const StopTimes stop = TimeToStop(loaded, whole);
  fmt::print("{:<22} {:>6} {:>7} {:>7} {:>8.2f} {:>9.1f} {:>9.1f} {:>9.1f} {:>9.1f}\n",
             loaded.network->graph().name, part.name(), loaded.layers(), ahead, loaded.load_seconds,
             whole, boundaries, stop.median, stop.worst);
}

// The latency on each of the first `count` parts while the others of them are as busy.
std::vector<double> LatenciesTogether(std::vector<Loaded>& loaded, const Parts& parts,
                                      std::size_t count) {
  std::vector<double> latencies(count);
  std::latch ready(static_cast<std::ptrdiff_t>(count));
  std::atomic<std::size_t> finished = 0;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      CHECK(parts[i]->Enter().has_value());
      ready.arrive_and_wait();
      latencies[i] = WholeLatency(loaded[i]);
      ++finished;
      while (finished < count) loaded[i].run->RunLayers(0, loaded[i].layers(), kGoOn);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return latencies;
}

// `loaded` is the same network on each part.
void ShowSideBySide(std::vector<Loaded>& loaded, const Parts& parts) {
  std::vector<double> alone;
  for (Loaded& one : loaded) alone.push_back(WholeLatency(one));
  const std::vector<double> two = LatenciesTogether(loaded, parts, 2);
  const std::vector<double> all = LatenciesTogether(loaded, parts, parts.size());
  fmt::print("  alone, with the same on the first two, on all:");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    fmt::print("  {} {:.0f}", parts[i]->name(), alone[i]);
    if (i < two.size()) fmt::print(", {:.0f}", two[i]);
    fmt::print(", {:.0f};", all[i]);
  }
  fmt::print("\n");
}

void ShowRecipes(const LoadedNetwork& network) {
  std::map<std::string, int> layers;
  for (std::size_t i = 0; i < network.LayerCount(); ++i) ++layers[network.Implementation(i)];
  fmt::print(" ");
  for (const auto& [recipe, count] : layers) fmt::print(" {} x {};", count, recipe);
  fmt::print("\n");
}

void ShowTimes(const std::vector<Subject>& subjects, std::string_view ahead,
               const CudaOptions& options) {
  const Parts parts = MakeParts(options);
  for (const Subject& subject : subjects) {
    std::vector<Loaded> loaded;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      loaded.push_back(LoadOn(*parts[i], subject.graph));
      if (i < kMeasured) ShowLatency(ahead, *parts[i], loaded[i]);
    }
    ShowSideBySide(loaded, parts);
    ShowRecipes(*loaded[0].network);
  }
}

int Main(const std::vector<std::string>& arguments) {
  CudaOptions options;
  bool outputs = false;
  std::vector<std::string> files;
  for (const std::string& argument : arguments) {
    if (argument == "single" || argument == "half") {
      options.precision = argument == "half" ? CudaPrecision::kHalf : CudaPrecision::kSingle;
    } else if (argument == "estimate") {
      options.search_algorithms = false;
    } else if (argument == "outputs") {
      outputs = true;
    } else {
      files.push_back(argument);
    }
  }
  // Drawn weights would give other outputs than PyTorch's.
  const auto seed = outputs ? std::nullopt : std::optional<std::uint64_t>(1);
  std::vector<Subject> subjects;
  for (const std::string& file : files) {
    OperatorGraph graph =
        Checked(ImportOperators(file, Checked(ReadFile(file)), {.weights_seed = seed}));
    graph.name = std::filesystem::path(file).stem().string();
    subjects.push_back({file, FuseOperators(std::move(graph))});
  }
  fmt::print("{} precision{}\n", options.precision == CudaPrecision::kHalf ? "half" : "single",
             options.search_algorithms ? ", algorithms searched" : ", algorithms estimated");
  if (outputs) {
    ShowDifferences(subjects, options);
    return 0;
  }
  ShowHeading();
  for (const auto& [name, ahead] :
       {std::pair("whole", Duration::max()), std::pair("default", options.launch_ahead),
        std::pair("20 us", Duration(std::chrono::microseconds(20)))}) {
    options.launch_ahead = ahead;
    ShowTimes(subjects, name, options);
  }
  return 0;
}

}  // namespace
}  // namespace fairlead

int main(int argc, char** argv) { return fairlead::Main({argv + 1, argv + argc}); }
