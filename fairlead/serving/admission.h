// Whether the live world takes a request that makes sense.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "fairlead/domain/request.h"
#include "fairlead/scheduling/input_check.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

// A request that is not taken. One that counts has arrived all the same, and ends at once: the
// books have it as rejected.
struct Rejection {
  Refusal refusal;
  bool counts = false;
};

// Asked by whoever has the engine, before the request reaches it; of an agreement that is there.
using AdmissionRule =
    std::function<std::optional<Rejection>(const SystemState& state, const Request& request)>;

// Refuses what cannot be done in time even alone and at once, as far as is believed, and what
// nothing that is there can run. It counts where the promise's own deadline is at stake: a client
// that asks for less time than it was promised ruins no indicator. O(1) for a request once its
// network is known.
class DeadlineAdmission {
 public:
  std::optional<Rejection> operator()(const SystemState& state, const Request& request);

 private:
  struct Known {
    bool known = false;
    bool can_run = true;
    Duration least{};  // from its start to its end
  };
  const Known& KnownOf(const SystemState& state, NetworkId network);

  std::uint64_t version_ = 0;  // of the beliefs that all below is from
  std::vector<Known> known_;   // by network
};

}  // namespace fairlead
