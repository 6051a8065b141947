#include "fairlead/serving/http/http_load_client.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fairlead/serving/json_reader.h"
#include "fairlead/serving/load_inputs.h"
#include "fairlead/serving/tensor.h"

namespace fairlead {
namespace {

Result<TensorInfo> ReadTensor(JsonReader& json) {
  TensorInfo tensor;
  std::string key;
  std::string type;
  json.EnterObject();
  while (json.NextKey(key)) {
    if (key == "name") {
      json.TakeText(tensor.name);
    } else if (key == "datatype") {
      json.TakeText(type);
    } else if (key == "shape") {
      for (json.EnterList(); json.NextItem();) {
        std::int64_t extent = 1;
        json.TakeInteger(extent);
        tensor.shape.push_back(extent);
      }
    } else {
      json.Skip();
    }
  }
  RETURN_IF_ERROR(json.status());
  return LoadInput(std::move(tensor.name), type, std::move(tensor.shape));
}

// The inputs in what a server says of a network.
Result<std::vector<TensorInfo>> ReadInputs(std::string_view text) {
  std::vector<TensorInfo> inputs;
  JsonReader json(text);
  std::string key;
  json.EnterObject();
  while (json.NextKey(key)) {
    if (key != "inputs") {
      json.Skip();
      continue;
    }
    for (json.EnterList(); json.NextItem();) {
      ASSIGN_OR_RETURN(TensorInfo tensor, ReadTensor(json));
      inputs.push_back(std::move(tensor));
    }
  }
  json.Finish();
  RETURN_IF_ERROR(json.status());
  return inputs;
}

// What all calls of a tenant for a network have in common.
struct Letter {
  std::string target;
  std::vector<HttpHeader> headers;
  std::string inputs;  // JSON
  SharedBytes tensors;
};

std::string ReasonOf(const HttpReply& reply) {
  if (reply.status == 0) return std::string(kNoReply);
  if (reply.status == 200) return std::string(kOkReply);
  const auto reason = std::ranges::find(reply.headers, kReasonHeader, &HttpHeader::name);
  return reason == reply.headers.end() ? fmt::format("status-{}", reply.status) : reason->value;
}

class HttpLoadClient final : public LoadClient {
 public:
  explicit HttpLoadClient(std::unique_ptr<HttpCaller> caller) : caller_(std::move(caller)) {}

  Result<std::size_t> Prepare(const LoadTarget& target) override {
    Letter letter{.target = fmt::format("/v2/models/{}/infer", target.network)};
    letter.headers.push_back(target.key.empty()
                                 ? HttpHeader{"Fairlead-Tenant", target.tenant}
                                 : HttpHeader{"Authorization", "Bearer " + target.key});
    const HttpReply reply =
        caller_->Ask({.target = "/v2/models/" + target.network, .headers = letter.headers});
    if (reply.status != 200)
      return Fail("tenant '{}', network '{}': {}: {}", target.tenant, target.network,
                  ReasonOf(reply), reply.body);
    ASSIGN_OR_RETURN(const auto inputs, ReadInputs(reply.body));
    const auto bytes = std::make_shared<std::string>();
    for (const TensorInfo& input : inputs) {
      const std::string made_up = MadeUpBytes(input);
      *bytes += made_up;
      letter.inputs += fmt::format(
          R"({}{{"name":{},"datatype":"{}","shape":[{}],"parameters":{{"binary_data_size":{}}}}})",
          letter.inputs.empty() ? "" : ",", JsonText(input.name), ToString(input.type),
          fmt::join(input.shape, ","), made_up.size());
    }
    letter.tensors = {.owner = bytes, .bytes = std::as_bytes(std::span(*bytes))};
    letters_.push_back(std::move(letter));
    return letters_.size() - 1;
  }

  void Call(const LoadCall& call, LoadReply reply) override {
    const Letter& letter = letters_[call.target];
    // Upwards: who asks for less time than it was promised has itself to blame.
    const auto timeout = std::chrono::ceil<std::chrono::microseconds>(call.timeout).count();
    HttpCall post{.method = "POST",
                  .target = letter.target,
                  .headers = letter.headers,
                  .body = fmt::format(R"({{"parameters":{{"timeout":{},"priority":{},)"
                                      R"("binary_data_output":true}},"inputs":[{}]}})",
                                      timeout, call.priority, letter.inputs),
                  .tail = letter.tensors,
                  .limit = call.limit};
    post.headers.push_back({"Inference-Header-Content-Length", std::to_string(post.body.size())});
    caller_->Call(std::move(post),
                  [reply = std::move(reply)](const HttpReply& answer) { reply(ReasonOf(answer)); });
  }

  std::size_t most_connections() const override { return caller_->most_connections(); }

 private:
  std::vector<Letter> letters_;
  std::unique_ptr<HttpCaller> caller_;
};

}  // namespace

Result<std::unique_ptr<LoadClient>> StartHttpLoad(const HttpCallerOptions& options) {
  ASSIGN_OR_RETURN(auto caller, HttpCaller::Start(options));
  return std::make_unique<HttpLoadClient>(std::move(caller));
}

}  // namespace fairlead
