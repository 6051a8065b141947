// grpc.health.v1: whether the server can be called, for probes and balancers that know nothing of
// networks. Needs no key.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>

#include "fairlead/serving/grpc/grpc_call.h"

namespace fairlead::grpc_room {

// The room must outlive it.
std::unique_ptr<grpc::Service> MakeHealthService(const Room& room);

}  // namespace fairlead::grpc_room
