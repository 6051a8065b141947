// A bare server of gRPC that sends tensors back, which front doors are measured against; and a
// client that calls either.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace fairlead {

class GrpcEcho {
 public:
  static std::unique_ptr<GrpcEcho> Start();
  virtual ~GrpcEcho() = default;  // stops
  virtual int port() const = 0;
};

// A connection of its own. Each call infers from four numbers on the network "nothing", as the
// tenants in turn, and waits for the reply; one that is not good ends the program.
std::function<void(std::size_t)> ConnectGrpc(int port, std::vector<std::string> tenants);

}  // namespace fairlead
