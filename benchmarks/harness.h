// What the benchmarks share: a command line, worlds with some knobs turned, timed runs, and the
// arithmetic of repetitions.
//
// Rates are given per second of processor time beside wall time. A run here is one thread, so on a
// quiet machine the two agree, and on a busy one the first still says what one core does.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/base/stopwatch.h"
#include "fairlead/base/time.h"
#include "fairlead/interference/interference_model.h"
#include "fairlead/policies/fixed_plan.h"
#include "fairlead/scheduling/engine.h"
#include "fairlead/scheduling/listener.h"
#include "fairlead/world/world.h"

namespace fairlead {

// ---- The command line ----------------------------------------------------------------------

// Switches and values; --help is always there.
class Arguments {
 public:
  Arguments(std::string_view program, std::string_view question)
      : program_(program), question_(question) {}

  // Targets are not owned and keep their value unless the command line gives another.
  void Add(std::string_view name, bool& target, std::string_view description);
  void Add(std::string_view name, std::string& target, std::string_view description);
  void Add(std::string_view name, int& target, std::string_view description);  // > 0
  // All words that are no option: files.
  void AddRest(std::string_view name, std::vector<std::string>& target);

  // The exit status if there is nothing left to do: help was asked for, or something is wrong.
  std::optional<int> Parse(int argc, char** argv) const;

 private:
  struct Option {
    std::string_view name;
    std::string_view description;
    bool* flag = nullptr;
    std::string* text = nullptr;
    int* number = nullptr;

    std::string Usage() const;
  };
  void PrintHelp() const;
  Status Read(std::span<char* const> words) const;

  std::string_view program_;
  std::string_view question_;
  std::vector<Option> options_;
  std::string_view rest_name_;
  std::vector<std::string>* rest_ = nullptr;
};

// ---- Time ----------------------------------------------------------------------------------

struct Spent {
  double wall = 0;       // seconds
  double processor = 0;  // seconds, of all threads of this process
};

class Meter {
 public:
  Meter();  // starts at once
  Spent Read() const;

 private:
  double processor_;
  Stopwatch stopwatch_;  // started last and read first, for short times
};

// Of a sample that is not empty, by linear interpolation.
double Quantile(std::vector<double> sample, double share);

// ---- Simulated runs ------------------------------------------------------------------------

// A scenario's file, and what is different here.
struct WorldKnobs {
  std::string scenario = "scenarios/fairness-simba-eyeriss.yaml";
  std::optional<double> load;
  std::optional<Sharing> sharing;
  std::optional<Duration> horizon;  // the warm-up shrinks with it
  LateJobs late = LateJobs::kFinish;
};
Result<std::unique_ptr<const World>> LoadWorld(const WorldKnobs& knobs);

// How many segments arrive in a second of the world's time, in the long run.
double SegmentsPerWorldSecond(const World& world);
// The horizon in which about so many segments arrive.
Duration HorizonFor(const World& world, double segments);

struct MeasuredRun {
  std::uint64_t segments = 0;  // finished
  std::uint64_t decisions = 0;
  Instant end{};  // of the world
  Spent spent;    // from the first request to the end of the last job; not for building the world

  double PerSecond() const { return static_cast<double>(segments) / spent.processor; }
  double PerWallSecond() const { return static_cast<double>(segments) / spent.wall; }
};

// Who wants to look into the engine while it runs. Not owned.
class EngineListener : public RunListener {
 public:
  void set_engine(const SchedulingEngine& engine) { engine_ = &engine; }

 protected:
  const SchedulingEngine& engine() const { return *engine_; }

 private:
  const SchedulingEngine* engine_ = nullptr;
};

// What `fairlead simulate` does, accounting and log of outcomes included.
struct SimulationChoice {
  std::string_view policy{};
  const FixedPlan* plan = nullptr;     // carried out instead of a policy; each request in full
  EngineListener* listener = nullptr;  // optional
};
// With the scenario's seed, in the order of the lists: ids are those of the world.
Result<MeasuredRun> Simulate(const World& world, const SimulationChoice& choice);

}  // namespace fairlead
