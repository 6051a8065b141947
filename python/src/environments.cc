#include "python/src/environments.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <optional>
#include <utility>

#include "fairlead/running/worker_threads.h"

namespace fairlead {

Environments::Environments(std::shared_ptr<const World> world, std::size_t count, int threads,
                           const EnvironmentOptions& options)
    : world_(std::move(world)), options_(options), threads_(threads), slots_(count) {}

Status Environments::Begin(Slot& slot, std::uint64_t seed) const {
  slot.environment.reset();  // before what it stands on
  slot.world = std::make_unique<SeededWorld>(*world_, seed);
  auto environment = std::make_unique<Environment>(slot.world->Setup(), options_);
  RETURN_IF_ERROR(environment->Begin());
  slot.environment = std::move(environment);
  return {};
}

// For each environment once, on as many threads as were asked for; the first error of all.
Status Environments::ForEach(const std::function<Status(std::size_t)>& work) const {
  if (threads_ <= 1) {
    for (std::size_t i = 0; i < slots_.size(); ++i) RETURN_IF_ERROR(work(i));
    return {};
  }
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::optional<Error> failed;
  // Some at a time: one step is shorter than what it takes to share a counter.
  const std::size_t at_once = std::max<std::size_t>(1, slots_.size() / (4 * threads_));
  WorkOnThreads(threads_, [&] {
    for (std::size_t first = next.fetch_add(at_once); first < slots_.size();
         first = next.fetch_add(at_once)) {
      for (std::size_t i = first; i < std::min(first + at_once, slots_.size()); ++i) {
        if (Status status = work(i); !status.has_value()) {
          const std::lock_guard lock(mutex);
          if (!failed.has_value()) failed = status.error();
        }
      }
    }
  });
  if (failed.has_value()) return tl::unexpected(*failed);
  return {};
}

void Environments::Show(std::size_t i, const StepResult& step, const Results& results) const {
  const Environment& environment = at(i);
  const auto system = results.system.subspan(i * kSystemFeatures, kSystemFeatures);
  const auto rows = results.rows.subspan(i * limit() * width(), limit() * width());
  const auto mask = results.mask.subspan(i * limit(), limit());
  std::size_t shown = 0;
  if (environment.over()) {
    std::ranges::fill(system, 0.0F);
  } else {
    const DecisionFeatures& features = environment.features();
    std::ranges::copy(features.system, system.begin());
    std::ranges::copy(features.rows, rows.begin());
    shown = features.size();
  }
  std::ranges::fill(rows.subspan(shown * width()), 0.0F);
  std::ranges::fill(mask.first(shown), std::int8_t{1});
  std::ranges::fill(mask.subspan(shown), std::int8_t{0});
  results.rewards[i] = step.reward;
  results.discounts[i] = environment.over() ? 0 : step.discount;
  results.seconds[i] = Seconds(step.time);
  results.over[i] = environment.over();
}

Status Environments::Reset(std::span<const std::size_t> which, std::span<const std::uint64_t> seeds,
                           const Results& results) {
  const std::lock_guard lock(mutex_);
  std::vector<std::optional<std::uint64_t>> asked(slots_.size());
  for (std::size_t k = 0; k < which.size(); ++k) asked.at(which[k]) = seeds[k];
  return ForEach([&](std::size_t i) -> Status {
    if (asked[i].has_value()) RETURN_IF_ERROR(Begin(slots_[i], *asked[i]));
    if (!begun(i)) return Fail("environment {} was never reset", i);
    Show(i, {}, results);
    return {};
  });
}

Status Environments::Step(std::span<const float> actions, const Results& results) {
  const std::lock_guard lock(mutex_);
  return ForEach([&](std::size_t i) -> Status {
    if (!begun(i)) return Fail("environment {} was never reset", i);
    Environment& environment = *slots_[i].environment;
    StepResult step;
    if (!environment.over()) {
      const auto given = actions.subspan(i * limit() * kActionsPerRow)
                             .first(environment.features().size() * kActionsPerRow);
      if (std::ranges::any_of(given, [](float number) { return std::isnan(number); }))
        return Fail("environment {}: an action is not a number", i);
      std::vector<float>& answer = slots_[i].actions;
      answer.assign(given.begin(), given.end());
      for (float& number : answer) number = std::clamp(number, -1.0F, 1.0F);
      ASSIGN_OR_RETURN(step, environment.Step(answer));
    }
    Show(i, step, results);
    return {};
  });
}

}  // namespace fairlead
