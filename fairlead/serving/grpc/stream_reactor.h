// ModelStreamInfer: requests that follow each other without waiting, answered in their order.
//
// What goes wrong with one of them is told in its answer, and the stream goes on. Not more than a
// few dozen of a stream are under way: then the client's next one waits to be read. A stream
// whose key is revoked ends within a second.
#pragma once

#include <grpcpp/grpcpp.h>

#include "fairlead/serving/grpc/unary_call.h"

namespace fairlead::grpc_room {

// It goes away by itself.
ByteReactor* BeginStream(const Room& room, grpc::CallbackServerContext& context);

}  // namespace fairlead::grpc_room
