// What does a boundary between two segments of a job cost on real threads, through the engine, and
// what a move to another partition?
//
// Boundaries: chains of short segments that spin, on one thread per core. From the end of a
// segment's work to the begin of the next one's, both on the partition's own thread.
//
// Moves: a tensor of 1 MiB that is alive goes to and fro between two partitions, and beside it as
// many bytes are copied plainly.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/harness.h"
#include "fairlead/base/time.h"
#include "fairlead/costs/cost_table.h"
#include "fairlead/execution/job_tensors.h"
#include "fairlead/execution/loaded_networks.h"
#include "fairlead/execution/machine.h"
#include "fairlead/execution/onednn/cpu_partition.h"
#include "fairlead/serving/clock.h"
#include "fairlead/serving/live_world.h"
#include "fairlead/world/policy_registry.h"

namespace fairlead {
namespace {

struct Options {
  bool quick = false;
  int jobs = 200;
  int length = 100;  // of a segment, in microseconds
  std::string policies = "edf-h:drop=early,fairlead";
};

constexpr std::size_t kSegments = 50;  // of a job

struct BoundaryCase {
  std::string name;
  std::vector<int> cores;        // a partition on each
  std::size_t jobs_at_once = 1;  // that arrive together
};

// What one partition's thread saw; nobody else writes there.
struct alignas(64) Seen {
  JobHandle job;
  SegmentId segment;
  Instant end{};
  std::vector<double> going_on;     // microseconds from end to begin, of one job
  std::vector<double> taking_over;  // of another one, where one was waiting
};

struct Boundaries {
  std::vector<double> going_on;
  std::vector<double> taking_over;
};

class BoundaryWorld {
 public:
  BoundaryWorld(const BoundaryCase& the_case, const Options& options)
      : case_(the_case), length_(std::chrono::microseconds(options.length)) {
    platform_.AddKind("core", static_cast<int>(case_.cores.size()));
    networks_.push_back(NetworkGraph::Chain("chain", kSegments));
    costs_ = std::make_unique<CostTable>(networks_, platform_);
    for (std::size_t s = 0; s < kSegments; ++s)
      costs_->Set(NetworkId{0}, SegmentId{s}, KindId{0}, {}, {.latency = length_});
    costs_->Seal(networks_);
    seen_.resize(case_.cores.size());
    const auto jobs = static_cast<std::size_t>(options.jobs);
    for (Seen& seen : seen_) seen.going_on.reserve(jobs * kSegments);
    for (std::size_t j = 0; j < jobs; ++j) {
      const auto group = j / case_.jobs_at_once;
      const Duration apart = (length_ + std::chrono::microseconds(50)) * kSegments *
                             static_cast<int>(case_.jobs_at_once) /
                             static_cast<int>(case_.cores.size());
      requests_.push_back({.number = j,
                           .agreement = AgreementId{0},
                           .arrival = Instant{} + std::chrono::milliseconds(5) + apart * group,
                           .deadline = std::chrono::seconds(60)});
    }
  }

  Result<Boundaries> Run(std::string_view policy_name) {
    ASSIGN_OR_RETURN(auto policy, MakePolicy(policy_name, {.seed = 1, .platform = &platform_}));
    const RealClock clock;
    ListedRequests source(requests_);
    LiveSetup setup;
    setup.world = {.platform = &platform_, .networks = networks_, .beliefs = costs_.get()};
    setup.world.tenants.push_back({.name = "t"});
    setup.world.agreements.push_back({.tenant = TenantId{0}, .network = NetworkId{0}});
    setup.truth = costs_.get();
    setup.clock = &clock;
    setup.requests = &source;
    setup.enter = [&](AcceleratorId accelerator) {
      const int core = case_.cores[accelerator.index()];
      return Machine::This().BindThread({&core, 1});
    };
    setup.work = [&](SegmentRun& run) { return Work(run, clock); };
    LiveWorld live(std::move(setup), std::move(policy));
    RETURN_IF_ERROR(live.Run());
    Boundaries all;
    for (const Seen& seen : seen_) {
      all.going_on.insert(all.going_on.end(), seen.going_on.begin(), seen.going_on.end());
      all.taking_over.insert(all.taking_over.end(), seen.taking_over.begin(),
                             seen.taking_over.end());
    }
    return all;
  }

 private:
  WorkResult Work(SegmentRun& run, const LiveClock& clock) {
    const Instant begin = clock.Now();
    const Assignment& assignment = run.assignment();
    Seen& seen = seen_[assignment.accelerator.index()];
    const JobHandle job{assignment.jobs.front(), assignment.serials.front()};
    const double gap = Seconds(begin - seen.end) * 1e6;
    if (seen.job.id == job.id && seen.job.serial == job.serial &&
        assignment.segment.value == seen.segment.value + 1) {
      seen.going_on.push_back(gap);
    } else if (assignment.segment.value > 0) {
      seen.taking_over.push_back(gap);
    }
    while (clock.Now() < begin + length_) {
    }
    seen.job = job;
    seen.segment = assignment.segment;
    seen.end = clock.Now();
    return WorkResult::kDone;
  }

  const BoundaryCase& case_;
  const Duration length_;
  Platform platform_;
  std::vector<NetworkGraph> networks_;
  std::unique_ptr<CostTable> costs_;
  std::vector<Request> requests_;
  std::vector<Seen> seen_;
};

std::vector<BoundaryCase> Cases() {
  const std::vector<int> usable = Machine::This().UsableCores();
  std::vector<BoundaryCase> cases = {{.name = "one partition", .cores = {usable.back()}}};
  const std::size_t most = std::min<std::size_t>(usable.size(), 4);
  const std::vector<int> many(usable.end() - static_cast<std::ptrdiff_t>(most), usable.end());
  const std::string_view left = most < usable.size() ? "" : ", no core left";
  cases.push_back({.name = fmt::format("{} partitions{}", most, left), .cores = many});
  cases.push_back({.name = fmt::format("{} partitions{}, jobs wait", most, left),
                   .cores = many,
                   .jobs_at_once = 2 * most});
  return cases;
}

// ---- Moves ---------------------------------------------------------------------------------

constexpr std::int64_t kChannels = 64;
constexpr std::int64_t kSide = 64;
constexpr std::size_t kMovedNumbers = kChannels * kSide * kSide;

// Convolutions from one image to the next, 1 MiB each.
OperatorGraph MovedGraph() {
  OperatorGraph graph{.name = "moved"};
  for (int i = 0; i < 4; ++i)
    graph.tensors.push_back({.name = std::to_string(i), .dims = {kChannels, kSide, kSide}});
  for (std::uint32_t i = 0; i < 3; ++i) {
    auto weights = std::make_shared<Weights>();
    weights->dims = {kChannels, kChannels, 1, 1};
    weights->values.assign(kChannels * kChannels, 0.01F);
    graph.operators.push_back(
        {.name = std::to_string(i),
         .body = Convolution{.window = {.kernel = {1, 1}}, .weights = weights},
         .inputs = {i},
         .output = i + 1});
  }
  graph.inputs = {0};
  graph.outputs = {3};
  return graph;
}

// The partitions have the same core: only one of them works at a time.
Result<std::vector<double>> MoveTimes(const std::vector<InstructionCap>& caps, int times) {
  LoadSpec spec;
  for (const InstructionCap cap : caps) {
    ASSIGN_OR_RETURN(auto processor,
                     MakeCpuPartition({.name = std::string(Name(cap)),
                                       .cores = {Machine::This().UsableCores().back()},
                                       .cap = cap}));
    spec.processors.push_back(std::move(processor));
    spec.batches.push_back({{1}});
  }
  spec.networks.push_back({MovedGraph(), {0, 1, 2, 3}});
  ASSIGN_OR_RETURN(const auto networks, LoadedNetworks::Load(std::move(spec)));
  JobTensors tensors(*networks);
  const std::atomic<bool> never = false;
  Assignment assignment;
  assignment.accelerator = AcceleratorId{0};
  assignment.network = NetworkId{0};
  assignment.segment = SegmentId{0};
  assignment.jobs = {JobId{0}};
  assignment.serials = {1};
  GatheredRun gathered = tensors.Gather(assignment);
  gathered.run->RunLayers(0, 1, never);
  tensors.Keep(assignment, gathered, 1);
  std::vector<double> microseconds;
  for (int i = 0; i < times; ++i) {
    assignment.accelerator = AcceleratorId{static_cast<std::size_t>(i + 1) % 2};
    const Stopwatch stopwatch;
    gathered = tensors.Gather(assignment);
    microseconds.push_back(static_cast<double>(stopwatch.ElapsedNanoseconds()) / 1e3);
    tensors.Keep(assignment, gathered, 1);
  }
  return microseconds;
}

std::vector<double> CopyTimes(int times) {
  std::vector<float> buffers[2] = {std::vector<float>(kMovedNumbers, 1),
                                   std::vector<float>(kMovedNumbers, 2)};
  std::vector<double> microseconds;
  for (int i = 0; i < times; ++i) {
    const Stopwatch stopwatch;
    std::memcpy(buffers[(i + 1) % 2].data(), buffers[i % 2].data(), kMovedNumbers * sizeof(float));
    microseconds.push_back(static_cast<double>(stopwatch.ElapsedNanoseconds()) / 1e3);
  }
  return microseconds;
}

Status CompareMoves(int times) {
  using enum InstructionCap;
  ASSIGN_OR_RETURN(const auto alike, MoveTimes({kNone, kNone}, times));
  ASSIGN_OR_RETURN(const auto unlike, MoveTimes({kNone, kAvx2}, times));
  ASSIGN_OR_RETURN(const auto old, MoveTimes({kAvx2, kSse41}, times));
  const std::vector<double> copy = CopyTimes(times);
  const double plain = Quantile(copy, 0.5);
  fmt::print(
      "\nA move of 1 MiB, in microseconds; asked: twice a plain copy\n{:36}{:>9}{:>9}{:>9}\n", "",
      "median", "95 %", "copies");
  const auto print = [&](std::string_view what, const std::vector<double>& sample) {
    fmt::print("{:36}{:>9.2f}{:>9.2f}{:>9.2f}\n", what, Quantile(sample, 0.5),
               Quantile(sample, 0.95), Quantile(sample, 0.5) / plain);
  };
  print("plain copy", copy);
  print("between alike partitions", alike);
  print("any instructions and AVX2", unlike);
  print("AVX2 and SSE4.1", old);
  return {};
}

void Print(std::string_view what, std::string_view policy, const std::vector<double>& sample) {
  if (sample.empty()) return;
  fmt::print("{:54}{:20}{:>9}{:>9.2f}{:>9.2f}{:>9.2f}{:>9.1f}\n", what, policy, sample.size(),
             Quantile(sample, 0.05), Quantile(sample, 0.5), Quantile(sample, 0.95),
             Quantile(sample, 0.99));
}

Status RunAll(const Options& options) {
  ASSIGN_OR_RETURN(const auto policies, ParsePolicyList(options.policies));
  fmt::print(
      "A boundary, in microseconds; asked where nothing changes: median 5, 95 % within 20\n"
      "{:54}{:20}{:>9}{:>9}{:>9}{:>9}{:>9}\n",
      "", "policy", "count", "5 %", "median", "95 %", "99 %");
  for (const BoundaryCase& the_case : Cases()) {
    for (const std::string& policy : policies) {
      ASSIGN_OR_RETURN(const Boundaries all, BoundaryWorld(the_case, options).Run(policy));
      Print(the_case.name + ": goes on", policy, all.going_on);
      Print(the_case.name + ": another took over", policy, all.taking_over);
    }
  }
  return CompareMoves(options.quick ? 100 : 1000);
}

}  // namespace
}  // namespace fairlead

int main(int argc, char** argv) {
  fairlead::Options options;
  fairlead::Arguments arguments("handover",
                                "What does a boundary between segments cost on real threads?");
  arguments.Add("--quick", options.quick, "40 jobs");
  arguments.Add("--jobs", options.jobs, "of 50 segments each, in each case; 200");
  arguments.Add("--length", options.length, "of a segment, in microseconds; 100");
  arguments.Add("--policies", options.policies, "A,B,...");
  if (const auto status = arguments.Parse(argc, argv)) return *status;
  if (options.quick) options.jobs = 40;
  const fairlead::Status status = fairlead::RunAll(options);
  if (status.has_value()) return 0;
  fmt::print(stderr, "handover: {}\n", status.error().message);
  return 1;
}
