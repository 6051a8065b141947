// What reaches the engine from outside: everything that a recording must hold for a run to be
// replayed. The engine's own consequences (starts, ends of jobs) are not inputs.
#pragma once

#include <string>
#include <variant>

#include "fairlead/base/id.h"
#include "fairlead/domain/request.h"
#include "fairlead/domain/tenant.h"
#include "fairlead/scheduling/assignment.h"
#include "fairlead/scheduling/job.h"

namespace fairlead {

struct Arrival {
  Request request;
};
struct Cancellation {
  JobHandle job;
};
struct SegmentFinish {
  AssignmentId assignment;
};
struct SegmentFailure {
  AssignmentId assignment;
};
struct AcceleratorLoss {
  AcceleratorId accelerator;
};
struct AcceleratorReturn {
  AcceleratorId accelerator;
};
// New tenants and agreements get the next free id.
struct TenantJoin {
  Tenant tenant;
};
struct TenantLeave {
  TenantId tenant;  // all its agreements close
};
struct AgreementStart {
  ServiceAgreement agreement;
};
struct AgreementChange {
  AgreementId id;
  ServiceAgreement agreement;  // same tenant and network
};
struct AgreementEnd {
  AgreementId id;
};
struct PolicyChange {
  std::string policy;  // name and options
};
// The charge of a decision takes an accelerator away for a while, and gives it back.
struct Reservation {
  AcceleratorId accelerator;
  Duration expected;
};
struct Release {
  AcceleratorId accelerator;
};

using Input = std::variant<Arrival, Cancellation, SegmentFinish, SegmentFailure, AcceleratorLoss,
                           AcceleratorReturn, TenantJoin, TenantLeave, AgreementStart,
                           AgreementChange, AgreementEnd, PolicyChange, Reservation, Release>;

}  // namespace fairlead
