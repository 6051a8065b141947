// `infer` of the Open Inference Protocol as bytes: what a client sent, made into tensors, and an
// answer, made into what it gets. JSON, and Triton's extension for tensors in binary form.
//
// Plain functions; whatever comes in is answered with a request or an error.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/base/time.h"
#include "fairlead/serving/http/http_message.h"
#include "fairlead/serving/inference.h"
#include "fairlead/serving/tensor.h"

namespace fairlead {

// How a client wants a tensor: as numbers in JSON, or as bytes behind it.
enum class TensorForm : std::uint8_t { kJson, kBinary };

struct WantedOutput {
  std::string name;
  std::optional<TensorForm> form;  // none: that of the request
  std::uint64_t classes = 0;       // so many of its highest elements, in place of all; 0: all
};

struct InferRequest {
  std::optional<std::string> id;
  std::vector<TensorData> inputs;  // share the body
  std::vector<WantedOutput> outputs;
  TensorForm form = TensorForm::kJson;
  std::optional<Duration> timeout;
  std::optional<int> priority;
  bool stacked = false;  // the network takes samples in a stack; whoever knows it says so
};

inline constexpr std::string_view kHeaderLength = "Inference-Header-Content-Length";

// `header_length` is the text of that header, if there is one: how much of the body is JSON. 0: all
// of it is the one input of the network, whose inputs are given.
Result<InferRequest> DecodeInfer(std::shared_ptr<const std::string> body,
                                 std::optional<std::string_view> header_length,
                                 std::span<const TensorInfo> network_inputs);

// Of an answer that is well; an error where a tensor cannot be written as the client wants it.
Result<HttpReply> EncodeInfer(const InferRequest& request, std::string_view network,
                              const InferenceAnswer& answer);

// Of one that is not.
HttpReply EncodeFailure(const InferenceAnswer& answer);

}  // namespace fairlead
