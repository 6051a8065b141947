// A call with one message each way, which is read only once its caller may make it and there is
// memory for it.
//
// libgrpc reads the message of a unary method before it asks anybody. So methods are registered as
// streams, which look the same on the wire and come to us with the initial metadata; the message is
// asked for when the key has been checked and the budget has room for the largest one.
#pragma once

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/impl/codegen/server_callback_handlers.h>
#include <grpcpp/impl/rpc_service_method.h>
#include <grpcpp/impl/service_type.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "fairlead/execution/memory_shortage.h"
#include "fairlead/serving/grpc/call_watch.h"
#include "fairlead/serving/grpc/grpc_call.h"

namespace fairlead::grpc_room {

// Nothing where it was done.
using Answered = std::optional<Refused>;

using ByteReactor = grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>;

// Who may make a call, and how large it may be.
enum class Access : std::uint8_t { kOpen, kCaller, kOperator, kOperatorWithFile, kTenant };

class UnaryCall final : public ByteReactor,
                        public Watched,
                        public std::enable_shared_from_this<UnaryCall> {
 public:
  // Does what is asked for, when the message is there; answers or refuses once, from any thread.
  using Act = std::function<void(const std::shared_ptr<UnaryCall>&)>;

  // It goes away by itself.
  static ByteReactor* Begin(const Room& room, grpc::CallbackServerContext& context, Access access,
                            const Act& act);

  UnaryCall(const Room& room, grpc::CallbackServerContext& context, Access access, const Act& act);

  const Room& room() const { return room_; }
  const Caller& caller() const { return caller_; }
  TenantId tenant() const { return tenant_; }  // of those with this access
  std::optional<Instant> received() const { return received_; }
  std::optional<Duration> TimeLeft() const { return grpc_room::TimeLeft(context_); }

  // The message; false: it has been refused, as it is none.
  template <typename Message>
  bool Read(Message& message) {
    if (grpc::SerializationTraits<Message>::Deserialize(&buffer_, &message).ok()) return true;
    RefuseMessage();
    return false;
  }
  // Memory that it needs from now on; false: there is none, and it has been refused.
  bool Hold(std::int64_t bytes);

  template <typename Message>
  void Answer(const Message& message) {
    const RefusableWork whole(false);
    bool own = false;
    const grpc::Status status =
        grpc::SerializationTraits<Message>::Serialize(message, &buffer_, &own);
    if (!status.ok()) return End(status);
    if (ended_.exchange(true)) return;
    Leave();
    StartWriteAndFinish(&buffer_, grpc::WriteOptions(), grpc::Status::OK);
  }
  void Refuse(const Refused& refused);
  // What is to be done when the client does not want it any more; at once if it does not already.
  void OnGone(std::function<void()> gone);

  void OnReadDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;
  void Look(Duration age) override;

 private:
  enum class Phase : std::uint8_t { kWaiting, kReading, kActing, kAnswering };

  std::optional<Refused> Check();
  void Start();
  void RefuseMessage();
  void Leave();  // it is over when the client has read its answer
  void End(const grpc::Status& status);

  const Room& room_;
  grpc::CallbackServerContext& context_;
  const Access access_;
  const Act& act_;
  const std::string peer_;
  std::optional<Instant> received_;
  Caller caller_;
  TenantId tenant_;
  MemoryBudget::Share share_;
  grpc::ByteBuffer buffer_;
  std::shared_ptr<UnaryCall> self_;  // until gRPC is done with it
  std::atomic<Phase> phase_ = Phase::kWaiting;
  std::atomic<bool> ended_ = false;
  std::mutex mutex_;  // guards the next two
  bool cancelled_ = false;
  std::function<void()> gone_;
  std::mutex look_mutex_;  // guards the next one
  bool done_ = false;      // gRPC's part of it is gone
};

// The methods of a service. It must outlive its calls.
class RawService : public grpc::Service {
 protected:
  explicit RawService(const Room& room) : room_(room) {}
  using Opener = std::function<ByteReactor*(grpc::CallbackServerContext*)>;
  void AddStream(const std::string& path, Opener open);
  void Add(const std::string& path, Access access, UnaryCall::Act act);
  // One that answers at once: a refusal, or its response.
  template <typename Request, typename Response, typename Do>
  void AddQuick(const std::string& path, Access access, Do act) {
    Add(path, access, [act](const std::shared_ptr<UnaryCall>& call) {
      Request request;
      Response response;
      if (!call->Read(request)) return;
      if (const Answered refused = act(*call, request, response)) return call->Refuse(*refused);
      call->Answer(response);
    });
  }

  const Room& room_;

 private:
  std::deque<std::string> paths_;  // gRPC keeps pointers to them
};

// Calls of methods that there are not.
class OtherMethods final : public grpc::CallbackGenericService {
 public:
  explicit OtherMethods(CallWatch& watch) : watch_(watch) {}
  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override;

 private:
  CallWatch& watch_;
};

// How much memory an inference takes once it is read, at most; of a message that is not.
std::int64_t MemoryOf(grpc::ByteBuffer& infer_request);

}  // namespace fairlead::grpc_room
