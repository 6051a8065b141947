#include "benchmarks/harness.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <utility>

#include "fairlead/base/check.h"
#include "fairlead/base/units.h"
#include "fairlead/report/listeners.h"
#include "fairlead/report/outcome_log.h"
#include "fairlead/running/seeded_world.h"
#include "fairlead/scenario/scenario.h"
#include "fairlead/simulation/simulator.h"
#include "fairlead/workload/arrivals.h"

namespace fairlead {
namespace {

double ProcessorSeconds() {
  return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
}

}  // namespace

// ---- The command line ----------------------------------------------------------------------

void Arguments::Add(std::string_view name, bool& target, std::string_view description) {
  options_.push_back({.name = name, .description = description, .flag = &target});
}

void Arguments::Add(std::string_view name, std::string& target, std::string_view description) {
  options_.push_back({.name = name, .description = description, .text = &target});
}

void Arguments::Add(std::string_view name, int& target, std::string_view description) {
  options_.push_back({.name = name, .description = description, .number = &target});
}

void Arguments::AddRest(std::string_view name, std::vector<std::string>& target) {
  rest_name_ = name;
  rest_ = &target;
}

std::string Arguments::Option::Usage() const {
  if (flag != nullptr) return std::string(name);
  return fmt::format("{} {}", name, text != nullptr ? "TEXT" : "N");
}

void Arguments::PrintHelp() const {
  fmt::print("{}\n\nUsage: {} [OPTIONS]{}{}, in the root of the sources\n\n", question_, program_,
             rest_ != nullptr ? " " : "", rest_name_);
  for (const Option& option : options_)
    fmt::print("  {:20}{}\n", option.Usage(), option.description);
  fmt::print("  {:20}this text\n", "--help");
}

std::optional<int> Arguments::Parse(int argc, char** argv) const {
  const std::span<char* const> words(argv + 1, static_cast<std::size_t>(std::max(argc - 1, 0)));
  if (std::ranges::find(words, std::string_view("--help")) != words.end()) {
    PrintHelp();
    return 0;
  }
  const Status status = Read(words);
  if (status.has_value()) return std::nullopt;
  fmt::print(stderr, "{}: {}\n", program_, status.error().message);
  return 2;
}

Status Arguments::Read(std::span<char* const> words) const {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto option = std::ranges::find(options_, words[i], &Option::name);
    if (option == options_.end() && rest_ != nullptr && words[i][0] != '-') {
      rest_->emplace_back(words[i]);
      continue;
    }
    if (option == options_.end()) return Fail("unknown option '{}'; --help lists them", words[i]);
    if (option->flag != nullptr) {
      *option->flag = true;
      continue;
    }
    if (++i == words.size()) return Fail("{} needs a value", option->name);
    if (option->text != nullptr) {
      *option->text = words[i];
      continue;
    }
    const auto number = ParseInteger(words[i]);
    if (!number.has_value() || *number < 1 || *number > 1'000'000)
      return Fail("{}: '{}' is not a number from 1 to 1000000", option->name, words[i]);
    *option->number = static_cast<int>(*number);
  }
  return {};
}

// ---- Time ----------------------------------------------------------------------------------

Meter::Meter() : processor_(ProcessorSeconds()) {}

Spent Meter::Read() const {
  return {.wall = stopwatch_.ElapsedSeconds(), .processor = ProcessorSeconds() - processor_};
}

double Quantile(std::vector<double> sample, double share) {
  CHECK(!sample.empty());
  std::ranges::sort(sample);
  const double place = share * static_cast<double>(sample.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sample.size() - 1);
  return std::lerp(sample[below], sample[above], place - static_cast<double>(below));
}

// ---- Simulated runs ------------------------------------------------------------------------

Result<std::unique_ptr<const World>> LoadWorld(const WorldKnobs& knobs) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(knobs.scenario));
  ASSIGN_OR_RETURN(Scenario scenario, ParseScenario(knobs.scenario, text));
  if (knobs.load.has_value()) scenario.load = knobs.load;
  if (knobs.sharing.has_value()) scenario.platform.sharing = *knobs.sharing;
  if (knobs.horizon.has_value()) {
    scenario.horizon = *knobs.horizon;
    scenario.warm_up = std::min(scenario.warm_up, *knobs.horizon / 10);
  }
  scenario.late = knobs.late;
  return BuildWorld(std::move(scenario), &ReadFile);
}

double SegmentsPerWorldSecond(const World& world) {
  double sum = 0;
  for (const PlannedAgreement& planned : world.agreements) {
    sum += MeanRate(planned.arrivals) *
           static_cast<double>(world.networks[planned.agreement.network.index()].size());
  }
  return sum;
}

Duration HorizonFor(const World& world, double segments) {
  return Duration{std::llround(segments / SegmentsPerWorldSecond(world) * 1e9)};
}

Result<MeasuredRun> Simulate(const World& world, const SimulationChoice& choice) {
  SeededWorld seeded(world, world.scenario.seed, SeededWorld::Order::kAsListed);
  std::unique_ptr<SchedulingPolicy> policy;
  if (choice.plan != nullptr) {
    policy = MakeFixedPlanPolicy(*choice.plan);
  } else {
    ASSIGN_OR_RETURN(policy, seeded.Policy(choice.policy));
  }

  OutcomeLog log;
  std::vector<RunListener*> listening = {&log};
  if (choice.listener != nullptr) listening.push_back(choice.listener);
  RunListeners listeners(listening);

  SimulationSetup setup = seeded.Setup();
  setup.listener = choice.listener == nullptr ? static_cast<RunListener*>(&log) : &listeners;
  Simulator simulator(std::move(setup), std::move(policy));
  if (choice.listener != nullptr) choice.listener->set_engine(simulator.engine());

  const Meter meter;
  RETURN_IF_ERROR(simulator.Run());
  const Spent spent = meter.Read();
  return MeasuredRun{.segments = simulator.engine().counters().segments_finished,
                     .decisions = simulator.engine().counters().decisions,
                     .end = simulator.totals().end,
                     .spent = spent};
}

}  // namespace fairlead
