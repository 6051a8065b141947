#include "benchmarks/decision_world.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <utility>

#include "fairlead/base/check.h"
#include "fairlead/costs/accelerator_model.h"
#include "fairlead/costs/profile.h"
#include "fairlead/costs/segmentation.h"
#include "fairlead/networks/zoo.h"
#include "fairlead/scenario/accelerator_catalogue.h"
#include "fairlead/world/policy_registry.h"

namespace fairlead {
namespace {

constexpr std::array<std::string_view, kKinds> kKindNames = {"simba", "gemmini", "eyeriss",
                                                             "eyeriss16"};
constexpr int kTenants = 100;
constexpr Duration kLongAfter = std::chrono::hours{1};

Result<Profile> MakeProfile(const DecisionCase& the_case) {
  std::vector<AcceleratorModel> models;
  for (std::string_view kind : kKindNames) {
    ASSIGN_OR_RETURN(AcceleratorModel model, FindAcceleratorModel(kind, &ReadFile));
    models.push_back(std::move(model));
  }
  Profile profile = ProfileOf(Zoo(), models);
  const KindId last{std::size_t{kKinds - 1}};
  if (the_case.last_kind == LastKind::kUseless)
    std::erase_if(profile.rows, [&](const CostRow& row) { return row.kind == last; });
  if (the_case.last_kind == LastKind::kPoor) {
    for (CostRow& row : profile.rows) {
      if (row.kind == last) row.cost.latency *= 100;
    }
  }
  // A burst is of whole networks, so that it can be worked off before the next.
  if (the_case.ready_by == ReadyBy::kBurst) return Segmented(profile, Granularity::Whole());
  return profile;
}

}  // namespace

Result<std::unique_ptr<DecisionWorld>> DecisionWorld::Create(const DecisionCase& the_case,
                                                             std::string_view policy) {
  std::unique_ptr<DecisionWorld> world(new DecisionWorld(the_case));
  RETURN_IF_ERROR(world->Build(policy));
  return world;
}

Status DecisionWorld::Build(std::string_view policy_name) {
  ASSIGN_OR_RETURN(const Profile profile, MakeProfile(case_));
  for (std::string_view kind : kKindNames)
    platform_.AddKind(std::string(kind), case_.accelerators / kKinds);
  networks_ = profile.networks;
  costs_ = std::make_unique<CostTable>(MakeCostTable(profile, platform_));
  EngineWorld world{.platform = &platform_, .networks = networks_, .beliefs = costs_.get()};
  for (std::size_t t = 0; t < kTenants; ++t) {
    world.tenants.push_back({.name = fmt::format("tenant-{}", t)});
    world.agreements.push_back({.tenant = TenantId{t}, .network = NetworkId{t % networks_.size()}});
  }
  ASSIGN_OR_RETURN(auto policy, MakePolicy(policy_name, {.seed = 1}));
  ExecutionBackend& backend = *this;
  engine_ = std::make_unique<SchedulingEngine>(std::move(world), EngineOptions{}, std::move(policy),
                                               backend);
  engine_->Advance(now_);
  return {};
}

int DecisionWorld::Idle() const {
  return static_cast<int>(std::ranges::count_if(
      engine_->state().accelerators,
      [](const AcceleratorState& state) { return state.free_units == state.units; }));
}

// Lets as many segments finish as it takes, those first that are believed to be done first.
void DecisionWorld::FinishUntilIdle(int wanted) {
  struct Running {
    Instant finish;
    AssignmentId id;
    auto operator<=>(const Running&) const = default;
  };
  std::vector<Running> running;
  for (const AcceleratorState& accelerator : engine_->state().accelerators) {
    for (AssignmentId id : accelerator.running) {
      const Assignment& assignment = engine_->state().assignments[id.slot];
      running.push_back({assignment.start + assignment.believed_latency, id});
    }
  }
  std::ranges::sort(running);
  const auto missing = static_cast<std::size_t>(std::max(wanted - Idle(), 1));
  for (std::size_t i = 0; i < std::min(missing, running.size()); ++i) {
    now_ = std::max(now_, running[i].finish);
    engine_->Advance(now_);
    engine_->Apply(SegmentFinish{running[i].id});
  }
}

void DecisionWorld::TopUp() {
  while (engine_->state().ready.size() < static_cast<std::size_t>(case_.ready)) {
    const AgreementId agreement{random_.Below(kTenants)};
    const NetworkId network = engine_->state().ledger.Promise(agreement).network;
    // Deadlines that a backlog of this size can just make.
    const double factor = 10 + 40 * random_.Uniform();
    const double deadline = factor * static_cast<double>(costs_->FastestTotal(network).count());
    engine_->Apply(Arrival{{.number = next_request_++,
                            .agreement = agreement,
                            .arrival = now_,
                            .deadline = Duration{static_cast<std::int64_t>(deadline)}}});
  }
}

Status DecisionWorld::DrainAll() {
  while (!engine_->Drained()) {
    engine_->Decide();
    RETURN_IF_ERROR(engine_->Commit());
    FinishUntilIdle(case_.accelerators);
  }
  return {};
}

Status DecisionWorld::Prepare() {
  if (case_.ready_by == ReadyBy::kBurst) {
    RETURN_IF_ERROR(DrainAll());
    TopUp();
    return {};
  }
  FinishUntilIdle(case_.idle);
  TopUp();
  if (case_.ready_by == ReadyBy::kHopeless) {
    RETURN_IF_ERROR(MakeDecision(nullptr));
    now_ += kLongAfter;
    engine_->Advance(now_);
    FinishUntilIdle(case_.idle);
    TopUp();
  }
  return {};
}

Status DecisionWorld::MakeDecision(DecisionTimes* times) {
  const int idle = Idle();
  const auto ready = static_cast<double>(engine_->state().ready.size());
  const Meter meter;
  engine_->Decide();
  const Spent decided = meter.Read();
  RETURN_IF_ERROR(engine_->Commit());
  const Spent committed = meter.Read();
  if (times == nullptr) return {};
  times->decide.push_back(decided.wall * 1e6);
  times->processor.push_back(decided.processor * 1e6);
  times->and_commit.push_back(committed.wall * 1e6);
  times->idle += idle;
  times->ready += ready;
  return {};
}

Result<DecisionTimes> DecisionWorld::Measure(int decisions) {
  DecisionTimes times;
  TopUp();
  const int warm_up = decisions / 10 + 10;
  for (int i = -warm_up; i < decisions; ++i) {
    RETURN_IF_ERROR(Prepare());
    RETURN_IF_ERROR(MakeDecision(i < 0 ? nullptr : &times));
  }
  times.idle /= decisions;
  times.ready /= decisions;
  return times;
}

}  // namespace fairlead
