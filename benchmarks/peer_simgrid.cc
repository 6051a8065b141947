// How many segments a second do we finish for each one of SimGrid's? Both simulate the
// hundred-tenant scenario under max-min sharing. We run edf-h with all accounting; SimGrid is
// handed the schedule that came out and only carries it out, modelled in several ways. A second row
// of ours carries out the same schedule. README.md says what is fair and what is generous about
// this.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "benchmarks/harness.h"
#include "benchmarks/recorded_schedule.h"
#include "benchmarks/simgrid_replay.h"

namespace fairlead {
namespace {

// Times SimGrid's segments a second.
constexpr double kAskedWithActors = 10;
constexpr double kAskedInAnyWay = 6;
constexpr std::string_view kPolicy = "edf-h";

struct Options {
  bool quick = false;
  int segments = 200'000;
  int repetitions = 9;
  std::string scenario = WorldKnobs{}.scenario;
  int only = 0;  // a subject, counted from 1; 0: all
};

// Subjects: we with the policy, we with its schedule, then SimGrid's modellings.
constexpr std::size_t kPolicySubject = 0;
constexpr std::size_t kScheduleSubject = 1;
constexpr std::size_t kFirstPeer = 2;
std::size_t Subjects() { return kFirstPeer + Modellings().size(); }

// One timed run, as a child prints it.
struct Sample {
  std::size_t segments = 0;
  Spent spent;
  double end = 0;      // of the last segment, over that of our schedule
  double running = 0;  // of all segments added up, over that of our schedule

  double PerSecond() const { return static_cast<double>(segments) / spent.processor; }
  double PerWallSecond() const { return static_cast<double>(segments) / spent.wall; }
};

Result<std::unique_ptr<const World>> TheWorld(const Options& options) {
  WorldKnobs knobs{.scenario = options.scenario, .sharing = Sharing::kMaxMin};
  ASSIGN_OR_RETURN(const auto probe, LoadWorld(knobs));
  knobs.horizon = HorizonFor(*probe, options.segments);
  return LoadWorld(knobs);
}

// ---- A child: one run in a process of its own ----------------------------------------------

Result<Sample> Measure(const World& world, const RecordedSchedule& schedule, std::size_t subject) {
  Sample sample{.segments = schedule.segments.size(), .end = 1, .running = 1};
  const double end = Seconds(schedule.end - Instant{});
  if (subject == kPolicySubject) {
    ASSIGN_OR_RETURN(const MeasuredRun run, Simulate(world, {.policy = kPolicy}));
    sample.spent = run.spent;
  } else if (subject == kScheduleSubject) {
    const FixedPlan plan = schedule.AsPlan();
    ASSIGN_OR_RETURN(const MeasuredRun run, Simulate(world, {.plan = &plan}));
    sample.spent = run.spent;
    sample.end = Seconds(run.end - Instant{}) / end;
  } else {
    const PeerRun run = RunInSimGrid(Modellings()[subject - kFirstPeer], schedule);
    sample.spent = run.spent;
    sample.end = run.end / end;
    sample.running = run.running / Seconds(schedule.running);
  }
  return sample;
}

Status RunOne(const Options& options) {
  const auto subject = static_cast<std::size_t>(options.only) - 1;
  if (subject >= Subjects()) return Fail("--only goes up to {}", Subjects());
  ASSIGN_OR_RETURN(const auto world, TheWorld(options));
  ASSIGN_OR_RETURN(const RecordedSchedule schedule, RecordSchedule(*world, kPolicy));
  ASSIGN_OR_RETURN(const Sample sample, Measure(*world, schedule, subject));
  fmt::print("{} {:.9f} {:.9f} {:.9f} {:.9f}\n", sample.segments, sample.spent.wall,
             sample.spent.processor, sample.end, sample.running);
  return {};
}

// ---- The parent: interleaved repetitions ---------------------------------------------------

Result<Sample> RunChild(const Options& options, std::size_t subject) {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return Fail("/proc/self/exe: {}", error.message());
  const std::string command =
      fmt::format("'{}' --only {} --segments {} --scenario '{}'", program.string(), subject + 1,
                  options.segments, options.scenario);
  std::FILE* child = popen(command.c_str(), "r");
  if (child == nullptr) return Fail("cannot run {}", command);
  Sample sample;
  const int read = std::fscanf(child, "%zu %lf %lf %lf %lf", &sample.segments, &sample.spent.wall,
                               &sample.spent.processor, &sample.end, &sample.running);
  const int status = pclose(child);
  if (read != 5 || status != 0) return Fail("{} failed", command);
  return sample;
}

// samples[subject][repetition]
using Samples = std::vector<std::vector<Sample>>;

Result<Samples> RunInTurns(const Options& options) {
  Samples samples(Subjects());
  for (int i = 0; i < options.repetitions; ++i) {
    for (std::size_t subject = 0; subject < samples.size(); ++subject) {
      ASSIGN_OR_RETURN(const Sample sample, RunChild(options, subject));
      samples[subject].push_back(sample);
    }
  }
  return samples;
}

std::vector<double> Each(const std::vector<Sample>& samples, double (Sample::*value)() const) {
  std::vector<double> values;
  for (const Sample& sample : samples) values.push_back((sample.*value)());
  return values;
}

// Our rate over the peer's, repetition by repetition.
std::vector<double> Ratios(const std::vector<Sample>& ours, const std::vector<Sample>& theirs) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < ours.size(); ++i)
    ratios.push_back(ours[i].PerSecond() / theirs[i].PerSecond());
  return ratios;
}

void PrintRates(std::string_view name, const std::vector<Sample>& samples) {
  const std::vector<double> rates = Each(samples, &Sample::PerSecond);
  fmt::print("{:36}{:>9.0f} {:>9.0f} {:>9.0f}", name, Quantile(rates, 0.25) / 1e3,
             Quantile(rates, 0.5) / 1e3,
             Quantile(Each(samples, &Sample::PerWallSecond), 0.5) / 1e3);
}

void PrintPeer(const Modelling& modelling, const Samples& samples,
               const std::vector<Sample>& theirs) {
  PrintRates(fmt::format("SimGrid, {}", modelling.name), theirs);
  const std::vector<double> times = Ratios(samples[kPolicySubject], theirs);
  fmt::print(" {:>7.1f} {:>7.1f} {:>9.1f} {:>9.4f} {:>9.4f}\n", Quantile(times, 0.25),
             Quantile(times, 0.5), Quantile(Ratios(samples[kScheduleSubject], theirs), 0.5),
             theirs.front().end, theirs.front().running);
}

// Our rate over that of the fastest modelling with a link and this driver, if one is given.
void PrintVerdict(const Samples& samples, std::optional<Driver> driver, std::string_view what,
                  double asked) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t m = 0; m < Modellings().size(); ++m) {
    const Modelling& modelling = Modellings()[m];
    if (!modelling.has_link || (driver.has_value() && modelling.driver != *driver)) continue;
    least =
        std::min(least, Quantile(Ratios(samples[kPolicySubject], samples[kFirstPeer + m]), 0.5));
  }
  fmt::print("edf-h against SimGrid's fastest {}: {:.1f} times (asked: {:.0f})\n", what, least,
             asked);
}

Status RunAll(const Options& options) {
  ASSIGN_OR_RETURN(const Samples samples, RunInTurns(options));
  fmt::print(
      "{} under max-min, {} segments, {} repetitions in turns; thousand segments a second\n\n",
      options.scenario, samples.front().front().segments, options.repetitions);
  fmt::print("{:36}{:>9} {:>9} {:>9} {:>7} {:>7} {:>9} {:>9} {:>9}\n", "", "quartile", "median",
             "of wall", "times q", "times", "schedule", "makespan", "running");
  PrintRates("fairlead, edf-h", samples[kPolicySubject]);
  PrintRates("\nfairlead, the schedule (fixed-plan)", samples[kScheduleSubject]);
  fmt::print("{:>36.4f}\n", samples[kScheduleSubject].front().end);
  for (std::size_t m = 0; m < Modellings().size(); ++m)
    PrintPeer(Modellings()[m], samples, samples[kFirstPeer + m]);
  fmt::print(
      "\nquartile, median: per second of processor time; of wall: median per second of wall time\n"
      "times q, times: edf-h's rate over SimGrid's, lower quartile and median over repetitions\n"
      "schedule: the same for our fixed-plan, which like SimGrid is handed the schedule; median\n"
      "makespan, running: over edf-h's: end of the last segment, time spent in segments\n");
  PrintVerdict(samples, Driver::kActors, "with actors", kAskedWithActors);
  PrintVerdict(samples, std::nullopt, "in any way over hosts and a link", kAskedInAnyWay);
  return {};
}

}  // namespace
}  // namespace fairlead

int main(int argc, char** argv) {
  fairlead::Options options;
  fairlead::Arguments arguments("peer_simgrid",
                                "How many segments a second do we finish for each of SimGrid's?");
  arguments.Add("--quick", options.quick, "50000 segments, 3 repetitions");
  arguments.Add("--segments", options.segments, "about so many; 200000");
  arguments.Add("--repetitions", options.repetitions, "of each, in turns; 9");
  arguments.Add("--scenario", options.scenario,
                "another scenario, every segment alone on its kind");
  arguments.Add("--only", options.only, "one run of the N-th row, its numbers bare");
  if (const auto status = arguments.Parse(argc, argv)) return *status;
  if (options.quick) {
    options.segments = 50'000;
    options.repetitions = 3;
  }
  const fairlead::Status status =
      options.only > 0 ? fairlead::RunOne(options) : fairlead::RunAll(options);
  if (status.has_value()) return 0;
  fmt::print(stderr, "peer_simgrid: {}\n", status.error().message);
  return 1;
}
