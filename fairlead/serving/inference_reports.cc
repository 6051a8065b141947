// What an InferenceWorld tells of itself, and hears of the engine.
#include <utility>
#include <variant>

#include "fairlead/serving/inference_world.h"

namespace fairlead {

std::vector<NetworkInfo> InferenceWorld::Networks() const {
  std::vector<NetworkInfo> infos;
  for (const SharedNetworkInfo& network : index_.Networks()) infos.push_back(*network);
  return infos;
}

std::optional<NetworkInfo> InferenceWorld::FindNetwork(std::string_view name) const {
  const SharedNetworkInfo network = index_.FindNetwork(name);
  if (network == nullptr) return std::nullopt;
  return *network;
}

bool InferenceWorld::NetworkReady(std::string_view name) const {
  const SharedNetworkInfo network = index_.FindNetwork(name);
  return network != nullptr && network->ready;
}

NetworkStatistics InferenceWorld::StatisticsOf(NetworkId network) const {
  return counts_.Read(network);
}

std::optional<TenantId> InferenceWorld::FindTenant(std::string_view name) const {
  return index_.FindTenant(name);
}

std::optional<AgreementId> InferenceWorld::FindAgreement(TenantId tenant,
                                                         std::string_view network) const {
  const CallTarget target = index_.Find(tenant, network);
  if (!target.agreement.valid()) return std::nullopt;
  return target.agreement;
}

void InferenceWorld::VisitAgreements(
    const std::function<void(const AgreementReport&)>& visit) const {
  // So few at a time that nobody waits long for the engine.
  constexpr std::size_t kAtATime = 64;
  struct Copied {
    AgreementReport report;
    ServiceAgreement promise;
  };
  std::vector<Copied> some;
  std::size_t next = 0;
  do {
    some.clear();
    world_.Look([&](const SchedulingEngine& engine, const std::vector<double>& /*busy*/) {
      const FairnessLedger& ledger = engine.state().ledger;
      for (; next < ledger.size() && some.size() < kAtATime; ++next) {
        const AgreementId id{next};
        some.push_back({.report = {.id = id,
                                   .open = ledger.IsOpen(id),
                                   .uncovered = ledger.Uncovered(id),
                                   .indicator = ledger.Indicator(id),
                                   .worst_window = ledger.WorstWindow(id),
                                   .violations = ledger.Violations(id),
                                   .sacrificed = ledger.IsSacrificed(id),
                                   .under_way = ledger.UnderWay(id),
                                   .history = ledger.History(id)},
                        .promise = ledger.Promise(id)});
        some.back().report.lifetime = some.back().report.history.lifetime;
      }
    });
    for (Copied& copied : some) {
      const std::string tenant = index_.TenantName(copied.promise.tenant);
      const std::string network = index_.NetworkName(copied.promise.network);
      copied.report.tenant = tenant;
      copied.report.network = network;
      copied.report.promise = &copied.promise;
      visit(copied.report);
    }
  } while (!some.empty());
}

ServiceReport InferenceWorld::Report() const {
  ServiceReport report{.state = state_, .under_way = calls_.size()};
  world_.Look([&](const SchedulingEngine& engine, const std::vector<double>& busy) {
    report.policy = engine.policy_name();
    const EarlierEngines& earlier = world_.earlier();
    report.engine = Sum(earlier.counters, engine.counters());
    report.guard = Sum(earlier.guard, engine.guard_books());
    report.decision_times = earlier.decision_times;
    report.decision_times.Add(engine.decision_times());
    const SystemState& state = engine.state();
    report.time = state.now.time_since_epoch();
    for (std::size_t a = 0; a < state.accelerators.size(); ++a) {
      const Accelerator& accelerator = state.platform->accelerators[a];
      report.accelerators.push_back({.name = accelerator.name,
                                     .kind = state.platform->kinds[accelerator.kind.index()].name,
                                     .online = state.accelerators[a].online,
                                     .busy_s = busy[a] * 1e-9});
    }
  });
  return report;
}

// ---- What the engine is told and does ------------------------------------------------------

void InferenceWorld::Watch::JobEnded(const Job& job, Outcome outcome, Reason reason, Instant now) {
  world_.JobEnded(job, outcome, reason, now);
  if (listener_ != nullptr) listener_->JobEnded(job, outcome, reason, now);
}

void InferenceWorld::Watch::SegmentEnded(const Assignment& assignment, Instant now) {
  const auto& networks = world_.world_.engine().state().networks;
  const bool last = assignment.segment.index() + 1 == networks[assignment.network.index()].size();
  world_.counts_.SegmentEnded(assignment, now - assignment.start, last);
  if (std::exchange(finishing_, false)) world_.SegmentFinished(assignment, now);
  if (listener_ != nullptr) listener_->SegmentEnded(assignment, now);
}

void InferenceWorld::Watch::SegmentResized(const Assignment& assignment, int units_before,
                                           Instant now) {
  if (listener_ != nullptr) listener_->SegmentResized(assignment, units_before, now);
}

void InferenceWorld::Watch::GuardActed(const GuardAct& act, Instant now) {
  if (listener_ != nullptr) listener_->GuardActed(act, now);
}

void InferenceWorld::Watch::PromiseSacrificed(AgreementId agreement, Instant now) {
  if (listener_ != nullptr) listener_->PromiseSacrificed(agreement, now);
}

void InferenceWorld::Watch::PromiseRestored(AgreementId agreement, Instant now) {
  if (listener_ != nullptr) listener_->PromiseRestored(agreement, now);
}

void InferenceWorld::Watch::Advanced(Instant now) {
  if (recorder_ != nullptr) recorder_->Advanced(now);
}

void InferenceWorld::Watch::Applied(const Input& input) {
  world_.index_.Apply(input);
  if (const auto* change = std::get_if<AgreementChange>(&input))
    world_.NoteUncovered(change->id, Instant{});
  finishing_ = std::holds_alternative<SegmentFinish>(input);
  if (recorder_ != nullptr) recorder_->Applied(input);
}

void InferenceWorld::Watch::Decided(const SchedulingPlan& plan) {
  if (recorder_ != nullptr) recorder_->Decided(plan);
}

void InferenceWorld::Watch::Committed() {
  if (recorder_ != nullptr) recorder_->Committed();
}

}  // namespace fairlead
