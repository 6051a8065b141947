// A bare server of Boost.Beast that sends bodies back: what front doors are measured against.
#pragma once

#include <memory>

namespace fairlead {

class BeastEcho {
 public:
  static std::unique_ptr<BeastEcho> Start(int threads);
  virtual ~BeastEcho() = default;  // stops
  virtual int port() const = 0;
};

}  // namespace fairlead
