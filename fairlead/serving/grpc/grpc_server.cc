#include "fairlead/serving/grpc/grpc_server.h"

#include <fmt/format.h>
#include <grpc/support/log.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fairlead/serving/grpc/description_messages.h"
#include "fairlead/serving/grpc/grpc_call.h"
#include "fairlead/serving/grpc/health_service.h"
#include "fairlead/serving/grpc/infer_allocator.h"
#include "fairlead/serving/grpc/infer_messages.h"
#include "fairlead/serving/grpc/stream_reactor.h"
#include "fairlead/serving/network_files.h"
#include "fairlead/serving/refusal_texts.h"
#include "proto/inference.grpc.pb.h"

namespace fairlead {
namespace {

using namespace grpc_room;
using grpc::CallbackServerContext;
using grpc::ServerUnaryReactor;
using inference::ModelInferRequest;
using inference::ModelInferResponse;

class InferReactor final : public ServerUnaryReactor {
 public:
  InferReactor(const Room& room, CallbackServerContext& context,
               std::shared_ptr<const ModelInferRequest> request, ModelInferResponse& response)
      : room_(room), context_(context), request_(std::move(request)), response_(response) {}

  void Begin(std::shared_ptr<InferReactor> self) {
    self_ = self;
    const Writers::Talk talk;
    auto tenant = IdentifyTenant(room_, context_);
    if (!tenant.has_value()) return Finish(Tell(context_, tenant.error()));
    auto call = Complete(CallOf(request_), *tenant, request_->model_version(), TimeLeft(context_));
    if (!call.has_value()) return Finish(Tell(context_, call.error()));
    const Ticket ticket = room_.service.Submit(
        std::move(*call), [self](InferenceAnswer answer) { self->Write(std::move(answer)); });
    if (ticket == 0) return;
    ticket_ = ticket;
    if (cancelled_) room_.service.Cancel(ticket);
  }

  void OnCancel() override {
    const Writers::Talk talk;
    cancelled_ = true;
    if (const Ticket ticket = ticket_; ticket != 0) room_.service.Cancel(ticket);
  }
  void OnDone() override { self_.reset(); }

 private:
  void Write(InferenceAnswer answer) {
    answer_ = std::move(answer);
    room_.writers.Write([self = self_] { self->Answer(); });
  }
  void Answer() {
    if (answer_.code != InferenceCode::kOk) return Finish(Tell(context_, RefusedBy(answer_)));
    WriteAnswer(*request_, answer_, IsStacked(room_, *request_), response_);
    answer_.outputs.clear();
    Finish(grpc::Status::OK);
  }

  const Room& room_;
  CallbackServerContext& context_;
  const std::shared_ptr<const ModelInferRequest> request_;
  ModelInferResponse& response_;
  std::shared_ptr<InferReactor> self_;  // until gRPC is done with it; the answer holds it too
  InferenceAnswer answer_;
  std::atomic<Ticket> ticket_ = 0;
  std::atomic<bool> cancelled_ = false;
};

ServerUnaryReactor* Finish(CallbackServerContext& context, grpc::Status status) {
  ServerUnaryReactor* const reactor = context.DefaultReactor();
  reactor->Finish(std::move(status));
  return reactor;
}

// What a client wants to have loaded, with the file that it brings, if any.
Result<NetworkOrder> OrderOf(const inference::RepositoryModelLoadRequest& request) {
  NetworkFiles files;
  for (const auto& [name, parameter] : request.parameters())
    RETURN_IF_ERROR(name == "config" ? files.AddConfiguration(parameter.string_param())
                                     : files.AddFile(name, parameter.bytes_param()));
  return std::move(files).Order(request.model_name());
}

class Protocol final : public inference::GRPCInferenceService::CallbackService {
 public:
  explicit Protocol(const Room& room) : room_(room) { SetMessageAllocatorFor_ModelInfer(&infer_); }

  ServerUnaryReactor* ServerLive(CallbackServerContext* context,
                                 const inference::ServerLiveRequest* /*request*/,
                                 inference::ServerLiveResponse* response) override {
    response->set_live(true);
    return Done(*context);
  }
  ServerUnaryReactor* ServerReady(CallbackServerContext* context,
                                  const inference::ServerReadyRequest* /*request*/,
                                  inference::ServerReadyResponse* response) override {
    response->set_ready(IsReady(room_));
    return Done(*context);
  }
  ServerUnaryReactor* ServerMetadata(CallbackServerContext* context,
                                     const inference::ServerMetadataRequest* /*request*/,
                                     inference::ServerMetadataResponse* response) override {
    WriteServer(*response);
    return Done(*context);
  }
  ServerUnaryReactor* ModelReady(CallbackServerContext* context,
                                 const inference::ModelReadyRequest* request,
                                 inference::ModelReadyResponse* response) override {
    if (const auto caller = Identify(room_, *context); !caller.has_value())
      return Refuse(*context, caller.error());
    response->set_ready(IsReady(room_) && IsKnownVersion(request->version()) &&
                        room_.service.NetworkReady(request->name()));
    return Done(*context);
  }
  ServerUnaryReactor* ModelMetadata(CallbackServerContext* context,
                                    const inference::ModelMetadataRequest* request,
                                    inference::ModelMetadataResponse* response) override {
    const auto network = Find(*context, *request);
    if (!network.has_value()) return Refuse(*context, network.error());
    WriteNetwork(*network, *response);
    return Done(*context);
  }
  ServerUnaryReactor* ModelConfig(CallbackServerContext* context,
                                  const inference::ModelConfigRequest* request,
                                  inference::ModelConfigResponse* response) override {
    const auto network = Find(*context, *request);
    if (!network.has_value()) return Refuse(*context, network.error());
    WriteConfig(*network, *response->mutable_config());
    return Done(*context);
  }
  ServerUnaryReactor* ModelStatistics(CallbackServerContext* context,
                                      const inference::ModelStatisticsRequest* request,
                                      inference::ModelStatisticsResponse* response) override {
    if (!request->name().empty()) {
      const auto network = Find(*context, *request);
      if (!network.has_value()) return Refuse(*context, network.error());
      WriteStatistics(*network, room_.service.StatisticsOf(network->id),
                      *response->add_model_stats());
      return Done(*context);
    }
    if (const auto caller = Identify(room_, *context); !caller.has_value())
      return Refuse(*context, caller.error());
    for (const NetworkInfo& network : room_.service.Networks())
      WriteStatistics(network, room_.service.StatisticsOf(network.id),
                      *response->add_model_stats());
    return Done(*context);
  }
  ServerUnaryReactor* RepositoryIndex(CallbackServerContext* context,
                                      const inference::RepositoryIndexRequest* request,
                                      inference::RepositoryIndexResponse* response) override {
    if (const auto caller = Identify(room_, *context); !caller.has_value())
      return Refuse(*context, caller.error());
    for (const NetworkInfo& network : room_.service.Networks()) {
      if (network.ready || !request->ready()) WriteIndex(network, *response->add_models());
    }
    if (request->ready()) return Done(*context);
    for (std::string& name : room_.service.Loadable())
      WriteIndex({.name = std::move(name), .reason = "it has not been loaded"},
                 *response->add_models());
    return Done(*context);
  }
  ServerUnaryReactor* RepositoryModelLoad(
      CallbackServerContext* context, const inference::RepositoryModelLoadRequest* request,
      inference::RepositoryModelLoadResponse* /*response*/) override {
    if (const auto refused = NotAnOperator(*context)) return Refuse(*context, *refused);
    const std::string& network = request->model_name();
    auto order = OrderOf(*request);
    if (!order.has_value())
      return Refuse(*context, {grpc::StatusCode::INVALID_ARGUMENT, "malformed",
                               FailedToLoad(network, order.error().message)});
    if (!order->file.has_value() && !room_.service.CanLoad(network))
      return Refuse(*context, {grpc::StatusCode::NOT_FOUND, "no-network",
                               FailedToLoad(network, "there is none of this name")});
    return Change(*context, [&](const StatusReply& reply) {
      room_.service.LoadNetwork(std::move(*order), [reply, network](const Status& status) {
        if (status.has_value()) return reply(status);
        reply(Fail("{}", FailedToLoad(network, status.error().message)));
      });
    });
  }
  ServerUnaryReactor* RepositoryModelUnload(
      CallbackServerContext* context, const inference::RepositoryModelUnloadRequest* request,
      inference::RepositoryModelUnloadResponse* /*response*/) override {
    if (const auto refused = NotAnOperator(*context)) return Refuse(*context, *refused);
    const std::string& network = request->model_name();
    if (!room_.service.FindNetwork(network)) return Refuse(*context, NoSuchNetwork(network));
    return Change(*context, [&](StatusReply reply) {
      room_.service.UnloadNetwork(network, std::move(reply));
    });
  }
  ServerUnaryReactor* ModelInfer(CallbackServerContext* context,
                                 const ModelInferRequest* /*request*/,
                                 ModelInferResponse* response) override {
    auto* const messages = static_cast<InferMessages*>(context->GetRpcAllocatorState());
    auto reactor = std::make_shared<InferReactor>(room_, *context, messages->Request(), *response);
    InferReactor* const raw = reactor.get();
    raw->Begin(std::move(reactor));
    return raw;
  }
  ServerUnaryReactor* SystemSharedMemoryStatus(CallbackServerContext* context,
                                               const inference::SharedMemoryRequest* /*request*/,
                                               inference::SharedMemoryResponse* /*none*/) override {
    return NoSharedMemory(*context);
  }
  ServerUnaryReactor* SystemSharedMemoryUnregister(
      CallbackServerContext* context, const inference::SharedMemoryRequest* /*request*/,
      inference::SharedMemoryResponse* /*none*/) override {
    return NoSharedMemory(*context);
  }
  ServerUnaryReactor* CudaSharedMemoryStatus(CallbackServerContext* context,
                                             const inference::SharedMemoryRequest* /*request*/,
                                             inference::SharedMemoryResponse* /*none*/) override {
    return NoSharedMemory(*context);
  }
  ServerUnaryReactor* CudaSharedMemoryUnregister(
      CallbackServerContext* context, const inference::SharedMemoryRequest* /*request*/,
      inference::SharedMemoryResponse* /*none*/) override {
    return NoSharedMemory(*context);
  }
  ServerUnaryReactor* SystemSharedMemoryRegister(
      CallbackServerContext* context, const inference::SharedMemoryRequest* /*request*/,
      inference::SharedMemoryResponse* /*none*/) override {
    return RefuseSharedMemory(*context);
  }
  ServerUnaryReactor* CudaSharedMemoryRegister(CallbackServerContext* context,
                                               const inference::SharedMemoryRequest* /*request*/,
                                               inference::SharedMemoryResponse* /*none*/) override {
    return RefuseSharedMemory(*context);
  }
  StreamReactor* ModelStreamInfer(CallbackServerContext* context) override {
    return BeginStream(room_, *context);
  }

 private:
  static ServerUnaryReactor* Done(CallbackServerContext& context) {
    return Finish(context, grpc::Status::OK);
  }
  static ServerUnaryReactor* Refuse(CallbackServerContext& context, const Refused& refused) {
    return Finish(context, Tell(context, refused));
  }

  ServerUnaryReactor* NoSharedMemory(CallbackServerContext& context) const {
    if (const auto caller = Identify(room_, context); !caller.has_value())
      return Refuse(context, caller.error());
    return Done(context);
  }

  ServerUnaryReactor* RefuseSharedMemory(CallbackServerContext& context) const {
    if (const auto caller = Identify(room_, context); !caller.has_value())
      return Refuse(context, caller.error());
    return Refuse(context, {grpc::StatusCode::INVALID_ARGUMENT, "no-shared-memory",
                            "shared memory is not supported"});
  }

  template <typename Request>
  tl::expected<NetworkInfo, Refused> Find(const CallbackServerContext& context,
                                          const Request& request) const {
    if (const auto caller = Identify(room_, context); !caller.has_value())
      return tl::unexpected(caller.error());
    auto network = room_.service.FindNetwork(request.name());
    if (!network.has_value()) return tl::unexpected(NoSuchNetwork(request.name()));
    if (!IsKnownVersion(request.version()))
      return tl::unexpected(NoSuchVersion(request.name(), request.version()));
    if (!network->ready) return tl::unexpected(NotLoaded(*network));
    return std::move(*network);
  }

  std::optional<Refused> NotAnOperator(CallbackServerContext& context) const {
    const auto caller = Identify(room_, context);
    if (!caller.has_value()) return caller.error();
    if (caller->is_operator) return std::nullopt;
    return Refused{grpc::StatusCode::PERMISSION_DENIED, "not-operator", "this is for operators"};
  }

  // By an operator.
  static ServerUnaryReactor* Change(CallbackServerContext& context,
                                    const std::function<void(StatusReply)>& change) {
    ServerUnaryReactor* const reactor = context.DefaultReactor();
    change([reactor, &context](const Status& status) {
      reactor->Finish(status.has_value() ? grpc::Status::OK
                                         : Tell(context, {grpc::StatusCode::FAILED_PRECONDITION,
                                                          "not-changed", status.error().message}));
    });
    return reactor;
  }

  const Room& room_;
  InferAllocator infer_;
};

Result<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file.is_open() || text.empty()) return Fail("{}: cannot be read", path);
  return text;
}

Result<std::shared_ptr<grpc::ServerCredentials>> CredentialsOf(const GrpcOptions& options) {
  if (!options.tls.has_value()) return grpc::InsecureServerCredentials();
  ASSIGN_OR_RETURN(std::string certificates, ReadFile(options.tls->certificates));
  ASSIGN_OR_RETURN(std::string key, ReadFile(options.tls->key));
  grpc::SslServerCredentialsOptions tls;
  tls.pem_key_cert_pairs.push_back({std::move(key), std::move(certificates)});
  return grpc::SslServerCredentials(tls);
}

int Milliseconds(Duration time) {
  const auto count = std::chrono::ceil<std::chrono::milliseconds>(time).count();
  return static_cast<int>(std::min<std::int64_t>(count, std::numeric_limits<int>::max()));
}

class CallbackServer final : public GrpcServer {
 public:
  CallbackServer(int threads, InferenceService& service, const Doorkeeper& door)
      : writers_(threads),
        room_{service, door, writers_},
        protocol_(room_),
        health_(MakeHealthService(room_)) {}
  ~CallbackServer() override { CallbackServer::Close(Duration::zero()); }

  Status Listen(const GrpcOptions& options) {
    // What is wrong is told by us; who wants gRPC's own lines asks for them, as its manual says.
    if (std::getenv("GRPC_VERBOSITY") == nullptr) gpr_set_log_function([](gpr_log_func_args*) {});
    ASSIGN_OR_RETURN(const auto credentials, CredentialsOf(options));
    const bool six = options.address.find(':') != std::string::npos;
    const std::string address = six ? fmt::format("[{}]:{}", options.address, options.port)
                                    : fmt::format("{}:{}", options.address, options.port);
    const GrpcLimits& limits = options.limits;
    grpc::reflection::InitProtoReflectionServerBuilderPlugin();
    grpc::ServerBuilder builder;
    builder.AddListeningPort(address, credentials, &port_);
    builder.RegisterService(&protocol_);
    builder.RegisterService(health_.get());
    builder.SetMaxReceiveMessageSize(
        static_cast<int>(std::min<std::int64_t>(limits.message, std::numeric_limits<int>::max())));
    builder.SetMaxSendMessageSize(-1);
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);  // a port belongs to one server
    builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, limits.metadata);
    builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS,
                               Milliseconds(limits.set_up_time));
    builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS, Milliseconds(limits.idle_time));
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, Milliseconds(limits.idle_time));
    server_ = builder.BuildAndStart();
    if (server_ == nullptr || port_ == 0)
      return Fail("gRPC cannot listen on {}:{}{}", options.address, options.port,
                  options.tls.has_value() ? ", or its certificate and key are not good" : "");
    return {};
  }

  int port() const override { return port_; }

  void Close(Duration grace) override {
    if (server_ == nullptr) return;
    const auto whole = std::chrono::floor<std::chrono::seconds>(grace);
    server_->Shutdown(gpr_timespec{.tv_sec = whole.count(),
                                   .tv_nsec = static_cast<int>((grace - whole).count()),
                                   .clock_type = GPR_TIMESPAN});
    server_->Wait();
    server_.reset();
  }

 private:
  Writers writers_;
  const Room room_;
  Protocol protocol_;
  const std::unique_ptr<grpc::Service> health_;
  std::unique_ptr<grpc::Server> server_;
  int port_ = 0;
};

}  // namespace

Result<std::unique_ptr<GrpcServer>> GrpcServer::Start(const GrpcOptions& options,
                                                      InferenceService& service,
                                                      const Doorkeeper& door) {
  auto server = std::make_unique<CallbackServer>(options.threads, service, door);
  RETURN_IF_ERROR(server->Listen(options));
  return server;
}

}  // namespace fairlead
