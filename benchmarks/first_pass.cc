// What does a request find when it comes? The same networks on one core: repeated in a burst, as
// profiles used to, after the others, after a pause asleep or awake, on another run's memory, and
// with the caches full of something else.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "benchmarks/harness.h"
#include "fairlead/execution/machine.h"
#include "fairlead/execution/onednn/cpu_partition.h"
#include "fairlead/networks/operator_fusion.h"
#include "fairlead/scenario/files.h"
#include "fairlead/serving/clock.h"
#include "fairlead/world/network_catalogue.h"

namespace fairlead {
namespace {

struct Options {
  int rounds = 15;
  int cores = 1;
  int pause = 20;  // milliseconds
  std::vector<std::string> networks;
};

enum class Before : std::uint8_t { kItself, kOthers, kAsleep, kAwake, kOtherRun, kEvicted, kAll };
constexpr std::pair<Before, std::string_view> kCases[] = {
    {Before::kItself, "itself"},    {Before::kOthers, "the others"},  {Before::kAsleep, "a sleep"},
    {Before::kAwake, "a spin"},     {Before::kOtherRun, "other run"}, {Before::kEvicted, "evicted"},
    {Before::kAll, "others, sleep"}};

struct Loaded {
  std::unique_ptr<OperatorGraph> graph;
  std::unique_ptr<LoadedNetwork> network;
  std::vector<std::unique_ptr<NetworkRun>> runs;
  std::vector<std::vector<double>> milliseconds;  // by case
};

class Passes {
 public:
  explicit Passes(const Options& options) : options_(options), filler_(std::size_t{24} << 20) {}

  Status Measure() {
    std::vector<int> cores = Machine::This().UsableCores();
    cores.erase(cores.begin(), cores.end() - options_.cores);
    ASSIGN_OR_RETURN(processor_, MakeCpuPartition({.name = "p", .cores = cores}));
    Status status;
    std::thread thread([&] { status = MeasureThere(); });
    thread.join();
    return status;
  }

 private:
  Status MeasureThere() {
    RETURN_IF_ERROR(processor_->Enter());
    for (const std::string& name : options_.networks) {
      ASSIGN_OR_RETURN(OperatorGraph graph, FindGraphByName(name, ReadFile, {.weights_seed = 1}));
      Loaded& one = loaded_.emplace_back();
      one.graph = std::make_unique<OperatorGraph>(FuseOperators(std::move(graph)));
      ASSIGN_OR_RETURN(auto loaded, processor_->Load(*one.graph, 1));
      one.network = std::move(loaded);
      for (int i = 0; i < 3; ++i) one.runs.push_back(one.network->NewRun());
      one.milliseconds.resize(std::size(kCases));
    }
    for (int round = -1; round < options_.rounds; ++round) {
      for (std::size_t c = 0; c < std::size(kCases); ++c) {
        for (Loaded& one : loaded_) {
          const double time = Pass(one, kCases[c].first);
          if (round >= 0) one.milliseconds[c].push_back(time);
        }
      }
    }
    Print();
    return {};
  }

  double Pass(Loaded& one, Before before) {
    const auto pause = std::chrono::milliseconds(options_.pause);
    std::size_t run = 0;
    Run(one, 0);
    switch (before) {
      case Before::kItself: Run(one, 0); break;
      case Before::kOthers: RunOthers(one); break;
      case Before::kAsleep: Sleep(pause); break;
      case Before::kAwake: Spin(pause); break;
      case Before::kOtherRun: run = 1 + static_cast<std::size_t>(turn_++ % 2); break;
      case Before::kEvicted: Evict(); break;
      case Before::kAll:
        RunOthers(one);
        Sleep(pause);
        break;
    }
    const Stopwatch stopwatch;
    Run(one, run);
    return static_cast<double>(stopwatch.ElapsedNanoseconds()) / 1e6;
  }

  void Run(Loaded& one, std::size_t run) {
    static const std::atomic<bool> never = false;
    one.runs[run]->RunLayers(0, one.network->LayerCount(), never);
  }
  void RunOthers(const Loaded& but) {
    for (Loaded& other : loaded_) {
      if (&other != &but) Run(other, 0);
    }
  }
  void Sleep(std::chrono::milliseconds pause) {
    std::mutex mutex;
    std::condition_variable nobody;
    std::unique_lock lock(mutex);
    clock_.WaitUntil(nobody, lock, clock_.Now() + pause);
  }
  void Spin(std::chrono::milliseconds pause) {
    const Stopwatch stopwatch;
    while (stopwatch.ElapsedSeconds() * 1e3 < static_cast<double>(pause.count())) {
    }
  }
  void Evict() {
    for (std::size_t i = 0; i < filler_.size(); i += 8) filler_[i] += 1;
  }

  void Print() {
    fmt::print("{:14}{:>16}", "ms, median/mean", "");
    for (const auto& [which, name] : kCases) fmt::print("{:>22}", name);
    fmt::print("\n");
    for (Loaded& one : loaded_) {
      fmt::print("{:30}", one.network->graph().name);
      const double burst = Quantile(one.milliseconds[0], 0.5);
      for (const auto& sample : one.milliseconds) {
        double sum = 0;
        for (const double time : sample) sum += time;
        fmt::print("{:>8.2f}{:>8.2f} {:.2f}x", Quantile(sample, 0.5),
                   sum / static_cast<double>(sample.size()), Quantile(sample, 0.5) / burst);
      }
      fmt::print("\n");
    }
  }

  const Options& options_;
  std::unique_ptr<Processor> processor_;
  std::vector<Loaded> loaded_;
  RealClock clock_;
  std::vector<double> filler_;
  int turn_ = 0;
};

}  // namespace
}  // namespace fairlead

int main(int argc, char** argv) {
  fairlead::Options options;
  fairlead::Arguments arguments("first_pass", "What does a request find when it comes?");
  arguments.Add("--rounds", options.rounds, "of all cases; 15");
  arguments.Add("--cores", options.cores, "of the partition; 1");
  arguments.Add("--pause", options.pause, "in milliseconds; 20");
  arguments.AddRest("NETWORKS", options.networks);
  if (const auto status = arguments.Parse(argc, argv)) return *status;
  if (options.networks.empty()) options.networks = {"mobilenet-v2", "googlenet", "resnet50"};
  const fairlead::Status status = fairlead::Passes(options).Measure();
  if (status.has_value()) return 0;
  fmt::print(stderr, "first_pass: {}\n", status.error().message);
  return 1;
}
