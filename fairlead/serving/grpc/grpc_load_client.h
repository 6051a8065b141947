// Load over gRPC.
#pragma once

#include <memory>
#include <string>

#include "fairlead/base/result.h"
#include "fairlead/serving/load_client.h"

namespace fairlead {

struct GrpcLoadOptions {
  std::string address;  // host:port
  bool tls = false;     //
  std::string
      authorities;  // certificates in PEM form that vouch for the server; empty: the system's
};

// A few connections carry all calls.
Result<std::unique_ptr<LoadClient>> StartGrpcLoad(const GrpcLoadOptions& options);

}  // namespace fairlead
