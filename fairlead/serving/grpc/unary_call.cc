#include "fairlead/serving/grpc/unary_call.h"

#include <grpcpp/support/proto_buffer_reader.h>

#include <cstdint>

#include "fairlead/execution/memory_shortage.h"
#include "proto/inference.pb.h"

namespace fairlead::grpc_room {
namespace {

constexpr std::size_t kShortMessage = 64 << 10;          // bytes; of all but inferences and files
constexpr Duration kOpenTime = std::chrono::seconds{1};  // for messages that need no key
constexpr std::int64_t kEntry = 256;  // bytes: what a message inside of a message takes by itself

using google::protobuf::io::CodedInputStream;

// Depth 0: a request; 1: one of its inputs; 2: its contents.
std::int64_t MemoryOf(CodedInputStream& in, int depth) {
  constexpr int kInputs = 5;    // of a request
  constexpr int kContents = 5;  // of an input
  std::int64_t memory = kEntry;
  while (const std::uint32_t tag = in.ReadTag()) {
    const auto field = static_cast<int>(tag >> 3);
    std::uint64_t number = 0;
    std::uint32_t length = 0;
    switch (tag & 7) {
      case 0:
        if (!in.ReadVarint64(&number)) return memory;
        memory += 2 * sizeof number;
        continue;
      case 1:
        if (!in.Skip(8)) return memory;
        memory += 2 * sizeof number;
        continue;
      case 5:
        if (!in.Skip(4)) return memory;
        memory += 2 * sizeof number;
        continue;
      case 2: break;
      default: return memory;  // none that we read
    }
    if (!in.ReadVarint32(&length)) return memory;
    if ((depth == 0 && field == kInputs) || (depth == 1 && field == kContents)) {
      const CodedInputStream::Limit limit = in.PushLimit(static_cast<int>(length));
      memory += MemoryOf(in, depth + 1);
      in.Skip(in.BytesUntilLimit());
      in.PopLimit(limit);
      continue;
    }
    // Numbers in few bytes become numbers of four or eight; entries of parameters, many objects.
    const bool numbers = depth == 2 && field >= 2 && field <= 5;
    memory += kEntry + static_cast<std::int64_t>(length) * (numbers ? 8 : depth < 2 ? 2 : 1);
    if (!in.Skip(static_cast<int>(length))) return memory;
  }
  return memory;
}

}  // namespace

std::int64_t MemoryOf(grpc::ByteBuffer& infer_request) {
  grpc::ProtoBufferReader reader(&infer_request);
  CodedInputStream in(&reader);
  in.SetTotalBytesLimit(INT32_MAX);
  return MemoryOf(in, 0);
}

ByteReactor* UnaryCall::Begin(const Room& room, grpc::CallbackServerContext& context, Access access,
                              const Act& act) {
  const auto call = std::make_shared<UnaryCall>(room, context, access, act);
  call->self_ = call;
  call->Start();
  return call.get();
}

UnaryCall::UnaryCall(const Room& room, grpc::CallbackServerContext& context, Access access,
                     const Act& act)
    : room_(room), context_(context), access_(access), act_(act), peer_(context.peer()) {
  if (room.time != nullptr) received_ = room.time->Arrived(0, Instant{});
}

std::optional<Refused> UnaryCall::Check() {
  if (access_ == Access::kOpen) return std::nullopt;
  auto caller = Identify(room_, context_);
  if (!caller.has_value()) {
    room_.watch.NoteInVain(peer_);
    return std::move(caller.error());
  }
  caller_ = std::move(*caller);
  room_.watch.NoteKnown(peer_);
  const bool operators = access_ == Access::kOperator || access_ == Access::kOperatorWithFile;
  if (operators && !caller_.is_operator)
    return Refused{grpc::StatusCode::PERMISSION_DENIED, "not-operator", "this is for operators"};
  if (access_ != Access::kTenant) return std::nullopt;
  const auto tenant = TenantOf(room_, caller_);
  if (!tenant.has_value()) return tenant.error();
  tenant_ = *tenant;
  return std::nullopt;
}

void UnaryCall::Start() {
  const Writers::Talk talk;
  if (const auto refused = Check()) return Refuse(*refused);
  const std::string address = AddressOf(peer_);
  share_ = room_.memory.Open({.tenant = access_ == Access::kOpen ? "@" + address : caller_.tenant,
                              .address = address,
                              .reserved = caller_.is_operator && access_ != Access::kTenant});
  room_.watch.Add(this, weak_from_this());
  const bool waits = room_.memory.Wait(share_, kStanding + room_.message, [self = self_] {
    self->phase_ = Phase::kReading;
    self->StartRead(&self->buffer_);
  });
  if (!waits) Refuse(NoMemory());
}

void UnaryCall::OnReadDone(bool ok) {
  const Writers::Talk talk;
  room_.watch.Remove(this);
  phase_ = Phase::kActing;
  if (!ok) return RefuseMessage();
  const auto size = static_cast<std::int64_t>(buffer_.Length());
  const bool large = access_ == Access::kTenant || access_ == Access::kOperatorWithFile;
  if (!large && buffer_.Length() > kShortMessage)
    return Refuse({grpc::StatusCode::RESOURCE_EXHAUSTED, "too-large", "the message is too large"});
  const std::int64_t memory = access_ == Access::kTenant ? MemoryOf(buffer_) : size;
  if (!Hold(kStanding + size + memory)) return;
  try {
    const RefusableWork refusable;
    act_(self_);
  } catch (const std::bad_alloc&) {
    Refuse(NoMemory());
  }
}

bool UnaryCall::Hold(std::int64_t bytes) {
  if (share_.Hold(bytes)) return true;
  Refuse(NoMemory());
  return false;
}

void UnaryCall::RefuseMessage() {
  Refuse({grpc::StatusCode::INVALID_ARGUMENT, "malformed", "there is no message that can be read"});
}

void UnaryCall::Refuse(const Refused& refused) {
  if (ended_.exchange(true)) return;
  const RefusableWork whole(false);
  Leave();
  Finish(Tell(context_, refused));
}

void UnaryCall::End(const grpc::Status& status) {
  if (ended_.exchange(true)) return;
  const RefusableWork whole(false);
  Leave();
  Finish(status);
}

void UnaryCall::Leave() {
  phase_ = Phase::kAnswering;
  room_.watch.Add(this, weak_from_this());
}

void UnaryCall::OnGone(std::function<void()> gone) {
  {
    const std::lock_guard lock(mutex_);
    if (!cancelled_) {
      gone_ = std::move(gone);
      return;
    }
  }
  gone();
}

void UnaryCall::OnCancel() {
  const Writers::Talk talk;
  room_.watch.NoteInVain(peer_);
  std::function<void()> gone;
  {
    const std::lock_guard lock(mutex_);
    cancelled_ = true;
    gone = std::move(gone_);
  }
  if (gone) gone();
  if (room_.memory.Forget(share_)) End(grpc::Status::CANCELLED);  // it waited for memory
}

void UnaryCall::OnDone() {
  room_.watch.Remove(this);
  room_.watch.NoteEnd(peer_);
  {
    const std::lock_guard lock(mutex_);
    gone_ = nullptr;
  }
  {
    const std::lock_guard lock(look_mutex_);
    done_ = true;
  }
  self_.reset();
}

// A message that does not come to its end is cut off, as is an answer that is not read; who waits
// for memory is told so.
void UnaryCall::Look(Duration age) {
  if (age < (access_ == Access::kOpen ? kOpenTime : room_.message_time)) return;
  const std::lock_guard lock(look_mutex_);
  if (done_) return;
  if (phase_ == Phase::kReading || phase_ == Phase::kAnswering) return context_.TryCancel();
  if (phase_ == Phase::kWaiting && room_.memory.Forget(share_)) Refuse(NoMemory());
}

grpc::ServerGenericBidiReactor* OtherMethods::CreateReactor(
    grpc::GenericCallbackServerContext* context) {
  class Reactor final : public grpc::ServerGenericBidiReactor {
   public:
    Reactor(CallWatch& watch, std::string peer) : watch_(watch), peer_(std::move(peer)) {
      Finish({grpc::StatusCode::UNIMPLEMENTED, ""});
    }
    void OnDone() override {
      watch_.NoteEnd(peer_);
      delete this;
    }

   private:
    CallWatch& watch_;
    const std::string peer_;
  };
  return new Reactor(watch_, context->peer());
}

void RawService::AddStream(const std::string& path, Opener open) {
  using Handler = grpc::internal::CallbackBidiHandler<grpc::ByteBuffer, grpc::ByteBuffer>;
  auto* const method = new grpc::internal::RpcServiceMethod(
      paths_.emplace_back(path).c_str(), grpc::internal::RpcMethod::BIDI_STREAMING,
      new Handler(std::move(open)));
  method->SetServerApiType(grpc::internal::RpcServiceMethod::ApiType::CALL_BACK);
  AddMethod(method);  // which owns it
}

void RawService::Add(const std::string& path, Access access, UnaryCall::Act act) {
  AddStream(path, [this, access, kept = std::make_shared<const UnaryCall::Act>(std::move(act))](
                      grpc::CallbackServerContext* context) {
    return UnaryCall::Begin(room_, *context, access, *kept);
  });
}

}  // namespace fairlead::grpc_room
