// Tells a log of events what happens in the engine of a live world: who joins and leaves, what is
// lost and returns, what the guard does, and, where the log wants it, how each request ended.
//
// `request` is the number that a request has in recordings (`fairlead why RECORDING NUMBER`),
// `at_s` the time on their axis.
#pragma once

#include <string>
#include <vector>

#include "fairlead/scheduling/engine.h"
#include "fairlead/scheduling/listener.h"
#include "fairlead/serving/event_log.h"

namespace fairlead {

class EngineLog final : public RunListener, public RunRecorder {
 public:
  // What is recorded goes on to the next one, which may be none. The log outlives it.
  EngineLog(const EngineWorld& world, EventLog& log, RunRecorder* next);

  void JobEnded(const Job& job, Outcome outcome, Reason reason, Instant now) override;
  void SegmentEnded(const Assignment& /*assignment*/, Instant /*now*/) override {}
  void PromiseSacrificed(AgreementId agreement, Instant now) override;
  void PromiseRestored(AgreementId agreement, Instant now) override;

  void Advanced(Instant now) override;
  void Applied(const Input& input) override;
  void Decided(const SchedulingPlan& plan) override;
  void Committed() override;

 private:
  struct Names {
    std::string tenant;
    std::string network;
  };
  class Teller;

  std::string TenantOf(TenantId id) const;
  std::string NetworkOf(NetworkId id) const;
  std::string AcceleratorOf(AcceleratorId id) const;
  Names NamesOf(AgreementId id) const;
  double Seconds() const;

  EventLog& log_;
  RunRecorder* const next_;
  std::vector<std::string> accelerators_;
  std::vector<std::string> networks_;
  std::vector<std::string> tenants_;
  std::vector<Names> agreements_;
  Instant now_{};
};

}  // namespace fairlead
