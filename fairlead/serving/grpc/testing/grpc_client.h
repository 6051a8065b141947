// A client of a server on this machine, for tests.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "proto/inference.grpc.pb.h"

namespace fairlead {

inline std::unique_ptr<inference::GRPCInferenceService::Stub> ClientOf(int port) {
  return inference::GRPCInferenceService::NewStub(
      grpc::CreateChannel("127.0.0.1:" + std::to_string(port), grpc::InsecureChannelCredentials()));
}

// What came behind the answer under this name; empty: nothing did.
inline std::string Trailing(const grpc::ClientContext& context, const std::string& name) {
  const auto& all = context.GetServerTrailingMetadata();
  const auto found = all.find(name);
  return found == all.end() ? "" : std::string(found->second.data(), found->second.size());
}

}  // namespace fairlead
