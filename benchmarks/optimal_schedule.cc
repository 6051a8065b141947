#include "benchmarks/optimal_schedule.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "benchmarks/integer_program.h"
#include "fairlead/base/check.h"

namespace fairlead {
namespace {

using Term = IntegerProgram::Term;

int Fastest(const SmallSegment& segment) {
  int fastest = 0;
  for (int ticks : segment) {
    if (ticks != kCannotRun && (fastest == 0 || ticks < fastest)) fastest = ticks;
  }
  return fastest;
}

class ScheduleProgram {
 public:
  explicit ScheduleProgram(const SmallWorld& world) : world_(world) {
    for (const SmallJob& job : world.jobs) end_ = std::max(end_, job.deadline);
    for (std::size_t j = 0; j < world.jobs.size(); ++j) AddJob(j);
    LimitKinds();
  }

  void PromiseTenants(HitShare least) {
    const std::vector<int> jobs = world_.JobsByTenant();
    for (std::size_t tenant = 0; tenant < world_.tenants; ++tenant) {
      const int hits = (least.hits * jobs[tenant] + least.jobs - 1) / least.jobs;  // rounded up
      std::vector<Term> row;
      for (std::size_t j = 0; j < world_.jobs.size(); ++j) {
        if (world_.jobs[j].tenant == tenant) row.push_back({hit_[j], 1});
      }
      if (hits > 0) program_.AddConstraint(hits, jobs[tenant], row);
    }
  }

  std::optional<OptimalSchedule> Solve() const {
    const auto solution = program_.Maximise();
    if (!solution.has_value()) return std::nullopt;
    OptimalSchedule schedule;
    for (std::size_t j = 0; j < world_.jobs.size(); ++j) {
      if (solution->chosen[static_cast<std::size_t>(hit_[j])]) schedule.hits.push_back(j);
    }
    std::vector<Start> chosen;
    for (const Start& start : starts_) {
      if (solution->chosen[static_cast<std::size_t>(start.choice)]) chosen.push_back(start);
    }
    Deal(chosen, schedule);
    return schedule;
  }

 private:
  // The choice to begin a segment on a kind at a tick.
  struct Start {
    std::size_t job;
    std::size_t segment;
    std::size_t kind;
    int tick;
    int end;
    int choice;
  };

  void AddJob(std::size_t j) {
    const SmallJob& job = world_.jobs[j];
    const SmallNetwork& network = world_.NetworkOf(job);
    hit_.push_back(program_.AddChoice(1));
    int earliest = job.arrival;
    int after = 0;
    for (const SmallSegment& segment : network) after += Fastest(segment);
    std::vector<Start> before;
    for (std::size_t s = 0; s < network.size(); ++s) {
      after -= Fastest(network[s]);
      std::vector<Start> starts;
      std::vector<Term> row = {{hit_[j], -1}};
      for (std::size_t kind = 0; kind < world_.accelerators.size(); ++kind) {
        const int ticks = network[s][kind];
        if (ticks == kCannotRun) continue;
        for (int tick = earliest; tick + ticks + after <= job.deadline; ++tick) {
          starts.push_back({j, s, kind, tick, tick + ticks, program_.AddChoice()});
          row.push_back({starts.back().choice, 1});
        }
      }
      program_.AddConstraint(0, 0, row);
      if (s > 0) Chain(before, starts);
      earliest += Fastest(network[s]);
      starts_.insert(starts_.end(), starts.begin(), starts.end());
      before = std::move(starts);
    }
  }

  void Chain(const std::vector<Start>& before, const std::vector<Start>& after) {
    if (after.empty()) return;
    const int first = std::ranges::min(after, {}, &Start::tick).tick;
    const int last = std::ranges::max(after, {}, &Start::tick).tick;
    for (int tick = first; tick <= last; ++tick) {
      std::vector<Term> row;
      for (const Start& start : before) {
        if (start.end <= tick) row.push_back({start.choice, -1});
      }
      for (const Start& start : after) {
        if (start.tick <= tick) row.push_back({start.choice, 1});
      }
      program_.AddConstraint(-1, 0, row);
    }
  }

  void LimitKinds() {
    for (std::size_t kind = 0; kind < world_.accelerators.size(); ++kind) {
      for (int tick = 0; tick < end_; ++tick) {
        std::vector<Term> row;
        for (const Start& start : starts_) {
          if (start.kind == kind && start.tick <= tick && tick < start.end)
            row.push_back({start.choice, 1});
        }
        const int count = world_.accelerators[kind];
        if (row.size() > static_cast<std::size_t>(count)) program_.AddConstraint(0, count, row);
      }
    }
  }

  // Which accelerator of its kind: any that is free.
  void Deal(std::vector<Start>& chosen, OptimalSchedule& schedule) const {
    std::ranges::stable_sort(chosen, {}, &Start::tick);
    std::vector<std::vector<int>> free_from(world_.accelerators.size());
    for (std::size_t kind = 0; kind < free_from.size(); ++kind)
      free_from[kind].assign(static_cast<std::size_t>(world_.accelerators[kind]), 0);
    for (const Start& start : chosen) {
      std::size_t accelerator = 0;
      for (std::size_t kind = 0; kind < start.kind; ++kind) accelerator += free_from[kind].size();
      std::vector<int>& lanes = free_from[start.kind];
      const auto lane = std::ranges::min_element(lanes);
      CHECK(*lane <= start.tick);
      *lane = start.end;
      accelerator += static_cast<std::size_t>(lane - lanes.begin());
      schedule.segments.push_back({start.job, start.segment, accelerator, start.tick});
    }
  }

  const SmallWorld& world_;
  int end_ = 0;
  IntegerProgram program_;
  std::vector<int> hit_;  // the choice, by job
  std::vector<Start> starts_;
};

}  // namespace

HitShare WorstTenant(const SmallWorld& world, std::span<const std::size_t> hits) {
  std::vector<HitShare> shares;
  for (int jobs : world.JobsByTenant()) shares.push_back({.hits = 0, .jobs = jobs});
  for (std::size_t job : hits) ++shares[world.jobs[job].tenant].hits;
  return *std::ranges::min_element(shares, std::less<HitShare>());
}

std::optional<OptimalSchedule> MostHits(const SmallWorld& world, HitShare least) {
  ScheduleProgram program(world);
  program.PromiseTenants(least);
  return program.Solve();
}

OptimalSchedule FairestHits(const SmallWorld& world) {
  // Every share that a tenant can have, ascending. A higher one leaves fewer schedules.
  std::vector<HitShare> levels = {{.hits = 0, .jobs = 1}};
  for (int jobs : world.JobsByTenant()) {
    for (int hits = 1; hits <= jobs; ++hits) levels.push_back({.hits = hits, .jobs = jobs});
  }
  std::ranges::sort(levels, std::less<HitShare>());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());

  auto best = MostHits(world);
  CHECK(best.has_value());
  std::size_t possible = 0;
  std::size_t impossible = levels.size();
  while (impossible - possible > 1) {
    const std::size_t middle = (possible + impossible) / 2;
    if (auto schedule = MostHits(world, levels[middle])) {
      possible = middle;
      best = std::move(schedule);
    } else {
      impossible = middle;
    }
  }
  return std::move(*best);
}

FixedPlan PlanOf(const OptimalSchedule& schedule) {
  FixedPlan plan{.file = "optimum", .text = {}, .entries = {}};
  for (const PlacedSegment& placed : schedule.segments) {
    plan.entries.push_back({.request = placed.job,
                            .segment = SegmentId{placed.segment},
                            .accelerator = AcceleratorId{placed.accelerator},
                            .order = placed.start});
  }
  return plan;
}

}  // namespace fairlead
