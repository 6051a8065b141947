// Where gRPC puts the messages of an inference: tensors share them, and keep them as long as they
// are read.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>

#include "proto/inference.grpc.pb.h"

namespace fairlead::grpc_room {

// The messages of a call. Whoever reads its tensors keeps them.
class InferMessages final
    : public grpc::MessageHolder<inference::ModelInferRequest, inference::ModelInferResponse>,
      public std::enable_shared_from_this<InferMessages> {
 public:
  static InferMessages* Make() {
    auto messages = std::make_shared<InferMessages>();
    messages->self_ = messages;
    return messages.get();
  }
  InferMessages() {
    set_request(&request_);
    set_response(&response_);
  }
  void Release() override { self_.reset(); }
  std::shared_ptr<const inference::ModelInferRequest> Request() {
    return {shared_from_this(), &request_};
  }

 private:
  inference::ModelInferRequest request_;
  inference::ModelInferResponse response_;
  std::shared_ptr<InferMessages> self_;  // until gRPC lets go of it
};

class InferAllocator final
    : public grpc::MessageAllocator<inference::ModelInferRequest, inference::ModelInferResponse> {
 public:
  InferMessages* AllocateMessages() override { return InferMessages::Make(); }
};

}  // namespace fairlead::grpc_room
