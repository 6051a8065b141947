// A live world whose network has one layer that does nothing, for so many tenants: what is left of
// a request is what it costs to serve it.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "fairlead/base/result.h"
#include "fairlead/serving/clock.h"
#include "fairlead/serving/inference_world.h"

namespace fairlead {

struct IdleOptions {
  std::size_t tenants = 1;  // "tenant-0" and so on, each with an agreement on "nothing"
  int accelerators = 1;
  int spin = 0;  // microseconds
  std::string_view policy = "fairlead";
};

// Runs on a thread of its own; drains when it goes away.
class IdleService {
 public:
  static Result<std::unique_ptr<IdleService>> Make(const IdleOptions& options);
  virtual ~IdleService() = default;

  virtual InferenceWorld& world() = 0;
  virtual const RealClock& clock() const = 0;
};

}  // namespace fairlead
