#include "fairlead/serving/grpc/grpc_load_client.h"

#include <fmt/format.h>
#include <grpcpp/grpcpp.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>
#include <vector>

#include "fairlead/serving/load_inputs.h"
#include "proto/inference.grpc.pb.h"

namespace fairlead {
namespace {

using inference::GRPCInferenceService;
using inference::ModelInferRequest;
using inference::ModelInferResponse;

constexpr std::size_t kChannels = 4;
constexpr Duration kToDescribe = std::chrono::seconds{60};

gpr_timespec After(Duration time) {
  const auto microseconds = std::chrono::ceil<std::chrono::microseconds>(time).count();
  return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                      gpr_time_from_micros(microseconds, GPR_TIMESPAN));
}

std::string ReasonOf(const grpc::Status& status, const grpc::ClientContext& context) {
  if (status.ok()) return std::string(kOkReply);
  const auto& trailing = context.GetServerTrailingMetadata();
  const auto reason = trailing.find("fairlead-reason");
  if (reason != trailing.end()) return {reason->second.data(), reason->second.size()};
  return std::string(kNoReply);
}

// What all calls of a tenant for a network have in common.
struct Letter {
  LoadTarget target;
  ModelInferRequest request;
};

void ShowWho(const LoadTarget& target, grpc::ClientContext& context) {
  if (target.key.empty()) {
    context.AddMetadata("fairlead-tenant", target.tenant);
  } else {
    context.AddMetadata("authorization", "Bearer " + target.key);
  }
}

// One call, from when it is sent to its reply.
struct UnderWay {
  grpc::ClientContext context;
  ModelInferRequest request;
  ModelInferResponse response;
  LoadReply reply;
};

class GrpcLoadClient final : public LoadClient {
 public:
  explicit GrpcLoadClient(const std::string& address,
                          const std::shared_ptr<grpc::ChannelCredentials>& credentials) {
    for (std::size_t i = 0; i < kChannels; ++i) {
      grpc::ChannelArguments arguments;
      arguments.SetInt("fairlead.load.channel", static_cast<int>(i));  // else they would be one
      arguments.SetMaxReceiveMessageSize(-1);
      stubs_[i] =
          GRPCInferenceService::NewStub(grpc::CreateCustomChannel(address, credentials, arguments));
    }
  }
  ~GrpcLoadClient() override {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [this] { return under_way_ == 0; });
  }

  Result<std::size_t> Prepare(const LoadTarget& target) override {
    grpc::ClientContext context;
    context.set_deadline(After(kToDescribe));
    ShowWho(target, context);
    inference::ModelMetadataRequest which;
    which.set_name(target.network);
    inference::ModelMetadataResponse network;
    const grpc::Status status = stubs_[0]->ModelMetadata(&context, which, &network);
    if (!status.ok())
      return Fail("tenant '{}', network '{}': {}: {}", target.tenant, target.network,
                  ReasonOf(status, context), status.error_message());
    Letter letter{.target = target, .request = {}};
    letter.request.set_model_name(target.network);
    for (const auto& described : network.inputs()) {
      ASSIGN_OR_RETURN(const TensorInfo input,
                       LoadInput(described.name(), described.datatype(),
                                 {described.shape().begin(), described.shape().end()}));
      auto& tensor = *letter.request.add_inputs();
      tensor.set_name(input.name);
      tensor.set_datatype(std::string(ToString(input.type)));
      for (const std::int64_t extent : input.shape) tensor.add_shape(extent);
      letter.request.add_raw_input_contents(MadeUpBytes(input));
    }
    letters_.push_back(std::move(letter));
    return letters_.size() - 1;
  }

  void Call(const LoadCall& call, LoadReply reply) override {
    const Letter& letter = letters_[call.target];
    auto* const sent = new UnderWay{
        .context = {}, .request = letter.request, .response = {}, .reply = std::move(reply)};
    auto& parameters = *sent->request.mutable_parameters();
    // Upwards: who asks for less time than it was promised has itself to blame.
    parameters["timeout"].set_int64_param(
        std::chrono::ceil<std::chrono::microseconds>(call.timeout).count());
    parameters["priority"].set_int64_param(call.priority);
    sent->context.set_deadline(After(call.limit));
    ShowWho(letter.target, sent->context);
    {
      const std::lock_guard lock(mutex_);
      ++under_way_;
    }
    const std::size_t channel = next_++ % kChannels;
    stubs_[channel]->async()->ModelInfer(&sent->context, &sent->request, &sent->response,
                                         [this, sent](const grpc::Status& status) {
                                           const std::unique_ptr<UnderWay> ended(sent);
                                           ended->reply(ReasonOf(status, ended->context));
                                           const std::lock_guard lock(mutex_);
                                           --under_way_;
                                           ended_.notify_all();
                                         });
  }

  std::size_t most_connections() const override { return kChannels; }

 private:
  std::array<std::unique_ptr<GRPCInferenceService::Stub>, kChannels> stubs_;
  std::vector<Letter> letters_;
  std::size_t next_ = 0;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::size_t under_way_ = 0;
};

}  // namespace

Result<std::unique_ptr<LoadClient>> StartGrpcLoad(const GrpcLoadOptions& options) {
  if (options.address.empty()) return Fail("expected for example grpc://127.0.0.1:8001");
  const auto credentials = options.tls ? grpc::SslCredentials({options.authorities, {}, {}})
                                       : grpc::InsecureChannelCredentials();
  return std::make_unique<GrpcLoadClient>(options.address, credentials);
}

}  // namespace fairlead
