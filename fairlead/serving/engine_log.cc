#include "fairlead/serving/engine_log.h"

#include <fmt/format.h>

#include <chrono>

namespace fairlead {
namespace {

// Of something that came after the log began, and was not told to it: its number.
template <typename Id>
std::string NameIn(const std::vector<std::string>& names, Id id) {
  return id.index() < names.size() ? names[id.index()] : fmt::format("#{}", id.index());
}

double Milliseconds(Duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

}  // namespace

EngineLog::EngineLog(const EngineWorld& world, EventLog& log, RunRecorder* next)
    : log_(log), next_(next) {
  for (const Accelerator& accelerator : world.platform->accelerators)
    accelerators_.push_back(accelerator.name);
  for (const NetworkGraph& network : world.networks) networks_.push_back(network.name());
  for (const Tenant& tenant : world.tenants) tenants_.push_back(tenant.name);
  for (const ServiceAgreement& agreement : world.agreements)
    agreements_.push_back({TenantOf(agreement.tenant), NetworkOf(agreement.network)});
}

std::string EngineLog::TenantOf(TenantId id) const { return NameIn(tenants_, id); }
std::string EngineLog::NetworkOf(NetworkId id) const { return NameIn(networks_, id); }
std::string EngineLog::AcceleratorOf(AcceleratorId id) const { return NameIn(accelerators_, id); }
EngineLog::Names EngineLog::NamesOf(AgreementId id) const {
  return id.index() < agreements_.size() ? agreements_[id.index()] : Names{};
}
double EngineLog::Seconds() const {
  return std::chrono::duration<double>(now_ - Instant{}).count();
}

void EngineLog::JobEnded(const Job& job, Outcome outcome, Reason reason, Instant now) {
  const bool failed = reason == Reason::kFailed;
  const LogLevel level = failed ? LogLevel::kError : LogLevel::kDebug;
  if (!log_.Wants(level)) return;
  log_.Write(level, failed ? "request-failed" : "request",
             {{"at_s", Seconds()},
              {"request", static_cast<std::int64_t>(job.request)},
              {"tenant", TenantOf(job.tenant)},
              {"network", NetworkOf(job.network)},
              {"outcome", std::string(ToString(outcome))},
              {"reason", std::string(ToString(reason))},
              {"waited_ms", Milliseconds((job.started() ? job.first_start : now) - job.arrival)},
              {"took_ms", Milliseconds(now - job.arrival)}});
}

void EngineLog::PromiseSacrificed(AgreementId agreement, Instant /*now*/) {
  const Names names = NamesOf(agreement);
  log_.Write(LogLevel::kWarning, "promise-given-up",
             {{"at_s", Seconds()}, {"tenant", names.tenant}, {"network", names.network}});
}

void EngineLog::PromiseRestored(AgreementId agreement, Instant /*now*/) {
  const Names names = NamesOf(agreement);
  log_.Write(LogLevel::kInfo, "promise-taken-up-again",
             {{"at_s", Seconds()}, {"tenant", names.tenant}, {"network", names.network}});
}

// What an operator wants to know of each input; most are nobody's business.
class EngineLog::Teller {
 public:
  explicit Teller(EngineLog& events) : events_(events) {}

  template <typename Other>
  void operator()(const Other& /*input*/) const {}

  void operator()(const TenantJoin& join) const {
    events_.tenants_.push_back(join.tenant.name);
    Tell(LogLevel::kInfo, "tenant-joined", "tenant", join.tenant.name);
  }
  void operator()(const TenantLeave& leave) const {
    Tell(LogLevel::kInfo, "tenant-left", "tenant", events_.TenantOf(leave.tenant));
  }
  void operator()(const AgreementStart& start) const {
    events_.agreements_.push_back(
        {events_.TenantOf(start.agreement.tenant), events_.NetworkOf(start.agreement.network)});
    TellOf("agreement-began", events_.agreements_.back());
  }
  void operator()(const AgreementChange& change) const {
    TellOf("agreement-changed", events_.NamesOf(change.id));
  }
  void operator()(const AgreementEnd& end) const {
    TellOf("agreement-ended", events_.NamesOf(end.id));
  }
  void operator()(const AcceleratorLoss& loss) const {
    Tell(LogLevel::kError, "accelerator-lost", "accelerator",
         events_.AcceleratorOf(loss.accelerator));
  }
  void operator()(const AcceleratorReturn& back) const {
    Tell(LogLevel::kInfo, "accelerator-returned", "accelerator",
         events_.AcceleratorOf(back.accelerator));
  }
  void operator()(const NetworkUnload& unload) const {
    Tell(LogLevel::kInfo, "network-unloaded", "network", events_.NetworkOf(unload.network));
  }
  void operator()(const NetworkLoad& load) const {
    Tell(LogLevel::kInfo, "network-loaded", "network", events_.NetworkOf(load.network));
  }
  void operator()(const NetworkAdd& add) const {
    events_.networks_.push_back(add.network.name);
    Tell(LogLevel::kInfo, "network-added", "network", add.network.name);
  }
  void operator()(const SegmentFailure& /*failure*/) const {
    events_.log_.Write(LogLevel::kWarning, "segment-failed", {{"at_s", events_.Seconds()}});
  }
  void operator()(const PolicyChange& change) const {
    Tell(LogLevel::kInfo, "policy-changed", "policy", change.policy);
  }
  void operator()(const GuardStrike& strike) const {
    Tell(LogLevel::kInfo, "guard-strike", "cause", std::string(ToString(strike.cause)));
  }
  void operator()(const GuardFallback& fallback) const {
    Tell(LogLevel::kWarning, "guard-fallback", "policy", fallback.policy);
  }
  void operator()(const GuardReturn& back) const {
    Tell(LogLevel::kInfo, "guard-return", "policy", back.policy);
  }

 private:
  void Tell(LogLevel level, std::string_view event, std::string_view name,
            const std::string& value) const {
    events_.log_.Write(level, event, {{"at_s", events_.Seconds()}, {name, value}});
  }
  void TellOf(std::string_view event, const Names& names) const {
    events_.log_.Write(
        LogLevel::kInfo, event,
        {{"at_s", events_.Seconds()}, {"tenant", names.tenant}, {"network", names.network}});
  }
  EngineLog& events_;
};

void EngineLog::Advanced(Instant now) {
  now_ = now;
  if (next_ != nullptr) next_->Advanced(now);
}
void EngineLog::Applied(const Input& input) {
  std::visit(Teller(*this), input);
  if (next_ != nullptr) next_->Applied(input);
}
void EngineLog::Decided(const SchedulingPlan& plan) {
  if (next_ != nullptr) next_->Decided(plan);
}
void EngineLog::Committed() {
  if (next_ != nullptr) next_->Committed();
}

}  // namespace fairlead
