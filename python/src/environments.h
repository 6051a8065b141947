// Several simulated runs as environments for learners in Python, stepped by one call.
//
// Numbers go in and out as NumPy arrays, one row for each environment; the interpreter's lock is
// released while the runs go on. A run that is over stays over until it is begun anew.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "fairlead/learning/environment.h"
#include "fairlead/running/seeded_world.h"
#include "fairlead/world/world.h"

namespace fairlead {

class Environments {
 public:
  // Where the numbers of a call go: as many as there are environments, each array of them.
  struct Results {
    std::span<float> system;      // x kSystemFeatures
    std::span<float> rows;        // x limit x width; zero behind the last row
    std::span<std::int8_t> mask;  // x limit: there is such a row
    std::span<double> rewards;
    std::span<double> discounts;  // of what comes after; 0 when over
    std::span<double> seconds;    // of simulated time that passed
    std::span<bool> over;
  };

  Environments(std::shared_ptr<const World> world, std::size_t count, int threads,
               const EnvironmentOptions& options);

  std::size_t count() const { return slots_.size(); }
  std::size_t limit() const { return options_.frame.encoder.limit; }
  std::size_t width() const { return DecisionEncoder::Width(options_.frame.encoder.awareness); }

  // Begins the run of a seed in each environment that is named. All of them are shown.
  Status Reset(std::span<const std::size_t> which, std::span<const std::uint64_t> seeds,
               const Results& results);
  // Answers each with limit x kActionsPerRow numbers, which are cut to [-1, 1]; those that are over
  // are left alone. Fails where one is not a number.
  Status Step(std::span<const float> actions, const Results& results);

  // Of one environment; begun before.
  // Held during the calls above; who looks at an environment beside them holds it too.
  std::mutex& mutex() const { return mutex_; }
  const Environment& at(std::size_t i) const { return *slots_.at(i).environment; }
  bool begun(std::size_t i) const { return slots_.at(i).environment != nullptr; }

 private:
  struct Slot {
    std::unique_ptr<SeededWorld> world;
    std::unique_ptr<Environment> environment;
    std::vector<float> actions;  // of one step
  };
  Status Begin(Slot& slot, std::uint64_t seed) const;
  Status ForEach(const std::function<Status(std::size_t)>& work) const;
  void Show(std::size_t i, const StepResult& step, const Results& results) const;

  mutable std::mutex mutex_;
  std::shared_ptr<const World> world_;
  EnvironmentOptions options_;
  int threads_;
  std::vector<Slot> slots_;
};

}  // namespace fairlead
