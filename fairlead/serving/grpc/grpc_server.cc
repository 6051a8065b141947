#include "fairlead/serving/grpc/grpc_server.h"

#include <fmt/format.h>
#include <grpc/support/log.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
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
#include "fairlead/serving/grpc/grpc_door.h"
#include "fairlead/serving/grpc/health_service.h"
#include "fairlead/serving/grpc/infer_messages.h"
#include "fairlead/serving/grpc/stream_reactor.h"
#include "fairlead/serving/grpc/unary_call.h"
#include "fairlead/serving/network_files.h"
#include "fairlead/serving/refusal_texts.h"
#include "fairlead/serving/visible_networks.h"
#include "proto/inference.pb.h"

namespace fairlead {
namespace {

using namespace grpc_room;
using inference::ModelInferRequest;
using inference::ModelInferResponse;

// What a client wants to have loaded, with the file that it brings, if any.
Result<NetworkOrder> OrderOf(const inference::RepositoryModelLoadRequest& request) {
  NetworkFiles files;
  for (const auto& [name, parameter] : request.parameters())
    RETURN_IF_ERROR(name == "config" ? files.AddConfiguration(parameter.string_param())
                                     : files.AddFile(name, parameter.bytes_param()));
  return std::move(files).Order(request.model_name());
}

constexpr std::string_view kService = "/inference.GRPCInferenceService/";

std::string Path(std::string_view method) { return fmt::format("{}{}", kService, method); }

class Protocol final : public RawService {
 public:
  explicit Protocol(const Room& room) : RawService(room) {
    AddHealth();
    AddNetworks();
    AddRepository();
    AddSharedMemory();
    Add(Path("ModelInfer"), Access::kTenant,
        [this](const std::shared_ptr<UnaryCall>& call) { Infer(call); });
    AddStream(Path("ModelStreamInfer"), [this](grpc::CallbackServerContext* context) {
      return BeginStream(room_, *context);
    });
  }

 private:
  using Found = tl::expected<NetworkInfo, Refused>;

  void AddHealth() {
    using namespace inference;
    AddQuick<ServerLiveRequest, ServerLiveResponse>(
        Path("ServerLive"), Access::kOpen, [](UnaryCall&, const auto&, auto& response) -> Answered {
          response.set_live(true);
          return std::nullopt;
        });
    AddQuick<ServerReadyRequest, ServerReadyResponse>(
        Path("ServerReady"), Access::kOpen,
        [this](UnaryCall&, const auto&, auto& response) -> Answered {
          response.set_ready(IsReady(room_));
          return std::nullopt;
        });
    AddQuick<ServerMetadataRequest, ServerMetadataResponse>(
        Path("ServerMetadata"), Access::kOpen,
        [](UnaryCall&, const auto&, auto& response) -> Answered {
          WriteServer(response);
          return std::nullopt;
        });
  }

  void AddNetworks() {
    using namespace inference;
    AddQuick<ModelReadyRequest, ModelReadyResponse>(
        Path("ModelReady"), Access::kCaller,
        [this](UnaryCall& call, const auto& request, auto& response) -> Answered {
          response.set_ready(IsReady(room_) && IsKnownVersion(request.version()) &&
                             MaySee(room_.service, call.caller(), request.name()) &&
                             room_.service.NetworkReady(request.name()));
          return std::nullopt;
        });
    AddQuick<ModelMetadataRequest, ModelMetadataResponse>(
        Path("ModelMetadata"), Access::kCaller,
        [this](UnaryCall& call, const auto& request, auto& response) -> Answered {
          const Found network = Find(call, request);
          if (!network.has_value()) return network.error();
          WriteNetwork(*network, response);
          return std::nullopt;
        });
    AddQuick<ModelConfigRequest, ModelConfigResponse>(
        Path("ModelConfig"), Access::kCaller,
        [this](UnaryCall& call, const auto& request, auto& response) -> Answered {
          const Found network = Find(call, request);
          if (!network.has_value()) return network.error();
          WriteConfig(*network, *response.mutable_config());
          return std::nullopt;
        });
    AddQuick<ModelStatisticsRequest, ModelStatisticsResponse>(
        Path("ModelStatistics"), Access::kCaller,
        [this](UnaryCall& call, const auto& request, auto& response) -> Answered {
          std::vector<NetworkInfo> networks;
          if (request.name().empty()) {
            networks = VisibleNetworks(room_.service, call.caller());
          } else {
            Found network = Find(call, request);
            if (!network.has_value()) return network.error();
            networks.push_back(std::move(*network));
          }
          for (const NetworkInfo& network : networks)
            WriteStatistics(network, room_.service.StatisticsOf(network.id),
                            *response.add_model_stats());
          return std::nullopt;
        });
  }

  void AddRepository() {
    using namespace inference;
    AddQuick<RepositoryIndexRequest, RepositoryIndexResponse>(
        Path("RepositoryIndex"), Access::kCaller,
        [this](UnaryCall& call, const auto& request, auto& response) -> Answered {
          for (const NetworkInfo& network : VisibleNetworks(room_.service, call.caller())) {
            if (network.ready || !request.ready()) WriteIndex(network, *response.add_models());
          }
          if (request.ready() || !call.caller().is_operator) return std::nullopt;
          for (std::string& name : room_.service.Loadable())
            WriteIndex({.name = std::move(name), .reason = "it has not been loaded"},
                       *response.add_models());
          return std::nullopt;
        });
    Add(Path("RepositoryModelLoad"), Access::kOperatorWithFile,
        [this](const std::shared_ptr<UnaryCall>& call) { Load(call); });
    Add(Path("RepositoryModelUnload"), Access::kOperator,
        [this](const std::shared_ptr<UnaryCall>& call) {
          RepositoryModelUnloadRequest request;
          if (!call->Read(request)) return;
          const std::string& network = request.model_name();
          if (!room_.service.FindNetwork(network)) return call->Refuse(NoSuchNetwork(network));
          room_.service.UnloadNetwork(network,
                                      Changed<RepositoryModelUnloadResponse>(call, std::nullopt));
        });
  }

  // There is none: clients that look, or let go of all, find it so.
  void AddSharedMemory() {
    using namespace inference;
    for (const char* const kind : {"SystemSharedMemory", "CudaSharedMemory"}) {
      for (const char* const verb : {"Status", "Unregister", "Register"}) {
        const bool registers = std::string_view(verb) == "Register";
        AddQuick<SharedMemoryRequest, SharedMemoryResponse>(
            Path(std::string(kind) + verb), Access::kCaller,
            [registers](UnaryCall&, const auto&, auto&) -> Answered {
              if (!registers) return std::nullopt;
              return Refused{grpc::StatusCode::INVALID_ARGUMENT, "no-shared-memory",
                             "shared memory is not supported"};
            });
      }
    }
  }

  void Infer(const std::shared_ptr<UnaryCall>& call) const {
    const auto request = std::make_shared<ModelInferRequest>();
    if (!call->Read(*request)) return;
    auto made =
        Complete(CallOf(request), call->tenant(), request->model_version(), call->TimeLeft());
    if (!made.has_value()) return call->Refuse(made.error());
    made->received = call->received();
    const Ticket ticket =
        room_.service.Submit(std::move(*made), [this, call, request](InferenceAnswer answer) {
          room_.writers.Write([this, call, request, answer = std::move(answer)] {
            if (answer.code != InferenceCode::kOk) return call->Refuse(RefusedBy(answer));
            ModelInferResponse response;
            WriteAnswer(*request, answer, IsStacked(room_, *request), response);
            call->Answer(response);
          });
        });
    if (ticket != 0) call->OnGone([&service = room_.service, ticket] { service.Cancel(ticket); });
  }

  void Load(const std::shared_ptr<UnaryCall>& call) const {
    inference::RepositoryModelLoadRequest request;
    if (!call->Read(request)) return;
    const std::string& network = request.model_name();
    auto order = OrderOf(request);
    if (!order.has_value())
      return call->Refuse({grpc::StatusCode::INVALID_ARGUMENT, "malformed",
                           FailedToLoad(network, order.error().message)});
    if (!order->file.has_value() && !room_.service.CanLoad(network))
      return call->Refuse({grpc::StatusCode::NOT_FOUND, "no-network",
                           FailedToLoad(network, "there is none of this name")});
    room_.service.LoadNetwork(std::move(*order),
                              Changed<inference::RepositoryModelLoadResponse>(call, network));
  }

  // Answers when a change is done. Failures to load name what was to be loaded.
  template <typename Response>
  static StatusReply Changed(const std::shared_ptr<UnaryCall>& call,
                             std::optional<std::string> loaded) {
    return [call, loaded = std::move(loaded)](const Status& status) {
      if (status.has_value()) return call->Answer(Response());
      const std::string& message = status.error().message;
      call->Refuse({grpc::StatusCode::FAILED_PRECONDITION, "not-changed",
                    loaded.has_value() ? FailedToLoad(*loaded, message) : message});
    };
  }

  template <typename Request>
  Found Find(const UnaryCall& call, const Request& request) const {
    auto network = room_.service.FindNetwork(request.name());
    if (!network.has_value() || !MaySee(room_.service, call.caller(), request.name()))
      return tl::unexpected(NoSuchNetwork(request.name()));
    if (!IsKnownVersion(request.version()))
      return tl::unexpected(NoSuchVersion(request.name(), request.version()));
    if (!network->ready) return tl::unexpected(NotLoaded(*network));
    return std::move(*network);
  }
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
  CallbackServer(const GrpcOptions& options, InferenceService& service, const Doorkeeper& door)
      : own_memory_(MemoryBudget::Default()),
        memory_(options.memory == nullptr ? own_memory_ : *options.memory),
        writers_(options.threads),
        watch_({options.limits.connections, options.limits.per_address}, memory_),
        room_{.service = service,
              .door = door,
              .writers = writers_,
              .memory = memory_,
              .watch = watch_,
              .time = options.time,
              .message = std::min(options.limits.message, memory_.total() / kMessages),
              .message_time = options.limits.message_time},
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
    // Of gRPC's own making: it reads what anybody sends.
    if (options.reflection) grpc::reflection::InitProtoReflectionServerBuilderPlugin();
    grpc::ServerBuilder builder;
    Bound(builder);
    builder.AddListeningPort(address, credentials, &port_);
    builder.RegisterService(&protocol_);
    builder.RegisterService(health_.get());
    builder.RegisterCallbackGenericService(&others_);
    builder.SetMaxReceiveMessageSize(
        static_cast<int>(std::min<std::int64_t>(room_.message, std::numeric_limits<int>::max())));
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
    watch_.Listens(port_);
    door_.emplace(port_, options.tls.has_value(), watch_.books());
    return {};
  }

  // What clients make libgrpc keep. It unpacks compressed messages whatever comes of them: it gets
  // none.
  void Bound(grpc::ServerBuilder& builder) const {
    constexpr int kStreams = 256;     // of a connection, open at once
    constexpr int kAhead = 64 << 10;  // bytes of a stream before its message is asked for
    for (const auto algorithm : {GRPC_COMPRESS_DEFLATE, GRPC_COMPRESS_GZIP})
      builder.SetCompressionAlgorithmSupportStatus(algorithm, false);
    builder.AddChannelArgument(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);
    builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kStreams);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_BDP_PROBE, 0);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, kAhead);
    builder.SetResourceQuota(
        grpc::ResourceQuota("fairlead").Resize(static_cast<std::size_t>(memory_.total())));
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
  static constexpr std::int64_t kMessages = 8;  // as long as they may be, fit into the budget

  MemoryBudget own_memory_;
  MemoryBudget& memory_;
  Writers writers_;
  CallWatch watch_;
  const Room room_;
  Protocol protocol_;
  OtherMethods others_{watch_};
  const std::unique_ptr<grpc::Service> health_;
  std::optional<GrpcDoor> door_;
  std::unique_ptr<grpc::Server> server_;
  int port_ = 0;
};

}  // namespace

Result<std::unique_ptr<GrpcServer>> GrpcServer::Start(const GrpcOptions& options,
                                                      InferenceService& service,
                                                      const Doorkeeper& door) {
  auto server = std::make_unique<CallbackServer>(options, service, door);
  RETURN_IF_ERROR(server->Listen(options));
  return server;
}

}  // namespace fairlead
