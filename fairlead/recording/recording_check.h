// Whether an input of a recording may be applied to an engine.
//
// The engine trusts the world around it: it indexes with the ids that it is given, and CHECKs what
// a correct world never does. A file is not to be trusted, so what comes from one passes here
// first. O(1) for arrivals and completions.
#pragma once

#include <cstdint>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/scheduling/input.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

class InputCheck {
 public:
  // The state is the engine's, before its first input; it is not owned and outlives this object.
  explicit InputCheck(const SystemState& state);

  // Fails with what is wrong. What passes must be applied before the next call. That a policy can
  // be made from a PolicyChange is not checked here.
  Status Check(const Input& input);

 private:
  Status Wrong(const Arrival& arrival) const;
  Status Wrong(const Cancellation& cancellation) const;
  Status Wrong(const SegmentFinish& finish) const;
  Status Wrong(const SegmentFailure& failure) const;
  Status Wrong(const AcceleratorLoss& loss) const;
  Status Wrong(const AcceleratorReturn& back) const;
  Status Wrong(const TenantJoin& join) const;
  Status Wrong(const TenantLeave& leave) const;
  Status Wrong(const AgreementStart& start);
  Status Wrong(const AgreementChange& change);
  Status Wrong(const AgreementEnd& end) const;
  Status Wrong(const PolicyChange& change) const;
  Status Wrong(const Reservation& reservation);
  Status Wrong(const Release& release);

  Status Known(AcceleratorId accelerator) const;
  Status Known(AgreementId agreement) const;
  Status AddWindow(int window);

  const SystemState& state_;
  std::int64_t windows_ = 0;    // of all agreements, summed: they take memory
  std::vector<bool> reserved_;  // per accelerator
};

}  // namespace fairlead
