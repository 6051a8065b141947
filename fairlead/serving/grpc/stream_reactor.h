// ModelStreamInfer: requests that follow each other without waiting, answered in their order.
//
// What goes wrong with one of them is told in its answer, and the stream goes on. Not more than a
// few dozen of a stream are under way: then the client's next one waits to be read.
#pragma once

#include <grpcpp/grpcpp.h>

#include "fairlead/serving/grpc/grpc_call.h"
#include "proto/inference.pb.h"

namespace fairlead::grpc_room {

using StreamReactor =
    grpc::ServerBidiReactor<inference::ModelInferRequest, inference::ModelStreamInferResponse>;

// It goes away by itself.
StreamReactor* BeginStream(const Room& room, grpc::CallbackServerContext& context);

}  // namespace fairlead::grpc_room
