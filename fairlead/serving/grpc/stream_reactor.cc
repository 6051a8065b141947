#include "fairlead/serving/grpc/stream_reactor.h"

#include <deque>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "fairlead/execution/memory_shortage.h"
#include "fairlead/serving/grpc/infer_messages.h"

namespace fairlead::grpc_room {
namespace {

using inference::ModelInferRequest;
using inference::ModelStreamInferResponse;

constexpr std::size_t kMostUnderWay = 64;
constexpr Duration kLookAtKey = std::chrono::milliseconds{500};

// One request and its answer.
struct Exchange {
  grpc::ByteBuffer bytes;
  std::int64_t memory = 0;  // that the request takes
  std::optional<Instant> received{};
  std::shared_ptr<ModelInferRequest> request = std::make_shared<ModelInferRequest>();
  std::optional<ModelStreamInferResponse> response;
  Ticket ticket = 0;
};

class Stream final : public ByteReactor, public Watched {
 public:
  Stream(const Room& room, grpc::CallbackServerContext& context)
      : room_(room), context_(context), peer_(context.peer()) {}

  void Begin(std::shared_ptr<Stream> self) {
    self_ = std::move(self);
    if (const auto refused = Enter()) {
      finished_ = true;
      return Finish(Tell(context_, *refused));
    }
    room_.watch.Add(this, self_);
    const std::lock_guard lock(mutex_);
    ReadNext();
  }

  void OnReadDone(bool ok) override {
    const Writers::Talk talk;
    std::shared_ptr<Exchange> exchange;
    {
      const std::lock_guard lock(mutex_);
      exchange = std::move(reading_);
      if (!ok) {
        closed_ = true;
        return Advance();
      }
      exchange->memory = static_cast<std::int64_t>(exchange->bytes.Length());
      exchange->memory += MemoryOf(exchange->bytes);
      if (room_.time != nullptr) exchange->received = room_.time->Arrived(0, Instant{});
      under_way_.push_back(exchange);
      held_ += exchange->memory;
      if (!share_.Hold(kStanding + room_.message + held_)) {
        held_ -= std::exchange(exchange->memory, 0);
        exchange->bytes.Clear();
      }
      ReadNext();
    }
    Submit(exchange);
  }

  void OnWriteDone(bool /*ok*/) override {
    const std::lock_guard lock(mutex_);
    writing_.reset();
    Advance();
  }

  void OnCancel() override {
    const Writers::Talk talk;
    room_.watch.NoteInVain(peer_);
    CancelAll();
  }

  void OnDone() override {
    room_.watch.Remove(this);
    room_.watch.NoteEnd(peer_);
    {
      const std::lock_guard lock(look_mutex_);
      done_ = true;
    }
    self_.reset();
  }

  // A key that is no good any more ends it: with a word, or without one if it does not read.
  void Look(Duration age) override {
    if (age - looked_ < kLookAtKey) return;
    looked_ = age;
    const std::lock_guard look(look_mutex_);
    if (done_) return;
    const auto caller = Identify(room_, context_);
    if (caller.has_value() && caller->tenant == caller_.tenant) return;
    CancelAll();
    const std::lock_guard lock(mutex_);
    if (writing_.has_value()) return context_.TryCancel();
    closed_ = true;
    if (!std::exchange(finished_, true))
      Finish(Tell(context_,
                  {grpc::StatusCode::UNAUTHENTICATED, "no-identity", "the key is no longer good"}));
  }

 private:
  std::optional<Refused> Enter() {
    auto caller = Identify(room_, context_);
    if (!caller.has_value()) {
      room_.watch.NoteInVain(peer_);
      return std::move(caller.error());
    }
    caller_ = std::move(*caller);
    room_.watch.NoteKnown(peer_);
    const auto tenant = TenantOf(room_, caller_);
    if (!tenant.has_value()) return tenant.error();
    tenant_ = *tenant;
    share_ = room_.memory.Open({.tenant = caller_.tenant, .address = AddressOf(peer_)});
    if (!share_.Hold(kStanding + room_.message)) return NoMemory();
    return std::nullopt;
  }

  void CancelAll() {
    std::vector<Ticket> tickets;
    {
      const std::lock_guard lock(mutex_);
      cancelled_ = true;
      for (const auto& exchange : under_way_) tickets.push_back(exchange->ticket);
    }
    for (const Ticket ticket : tickets) {
      if (ticket != 0) room_.service.Cancel(ticket);
    }
  }

  void Submit(const std::shared_ptr<Exchange>& exchange) {
    try {
      const RefusableWork refusable;
      return SubmitOrThrow(exchange);
    } catch (const std::bad_alloc&) {
    }
    Answer(*exchange, NoMemory().message);
  }
  void SubmitOrThrow(const std::shared_ptr<Exchange>& exchange) {
    if (exchange->memory == 0) return Answer(*exchange, NoMemory().message);
    if (!grpc::SerializationTraits<ModelInferRequest>::Deserialize(&exchange->bytes,
                                                                   exchange->request.get())
             .ok())
      return Answer(*exchange, "the message cannot be read");
    auto call = Complete(CallOf(exchange->request), tenant_, exchange->request->model_version(),
                         TimeLeft(context_));
    if (!call.has_value()) return Answer(*exchange, call.error().message);
    call->received = exchange->received;
    const Ticket ticket =
        room_.service.Submit(std::move(*call), [self = self_, exchange](InferenceAnswer answer) {
          self->room_.writers.Write(
              [self, exchange, answer = std::move(answer)] { self->Answer(*exchange, answer); });
        });
    bool cancelled = false;
    {
      const std::lock_guard lock(mutex_);
      exchange->ticket = ticket;
      cancelled = cancelled_;
    }
    if (cancelled && ticket != 0) room_.service.Cancel(ticket);
  }

  void Answer(Exchange& exchange, const InferenceAnswer& answer) {
    if (answer.code != InferenceCode::kOk) return Answer(exchange, answer.message);
    ModelStreamInferResponse response;
    WriteAnswer(*exchange.request, answer, IsStacked(room_, *exchange.request),
                *response.mutable_infer_response());
    // Some clients count on it, since a stream may have several answers for a request elsewhere.
    (*response.mutable_infer_response()->mutable_parameters())["triton_final_response"]
        .set_bool_param(true);
    Put(exchange, std::move(response));
  }
  void Answer(Exchange& exchange, const std::string& error) {
    ModelStreamInferResponse response;
    response.set_error_message(error.empty() ? "it was not done" : error);
    response.mutable_infer_response()->set_id(exchange.request->id());
    response.mutable_infer_response()->set_model_name(exchange.request->model_name());
    Put(exchange, std::move(response));
  }
  void Put(Exchange& exchange, ModelStreamInferResponse response) {
    const RefusableWork whole(false);
    const std::lock_guard lock(mutex_);
    exchange.response = std::move(response);
    Advance();
  }

  // With the lock, as is the next one. gRPC calls back later, and on a thread of its own.
  void Advance() {
    if (finished_) return;
    if (!writing_.has_value() && !under_way_.empty() && under_way_.front()->response.has_value()) {
      Write(*under_way_.front()->response);
      held_ -= under_way_.front()->memory;
      share_.Hold(kStanding + room_.message + held_);
      under_way_.pop_front();
    }
    ReadNext();
    if (closed_ && under_way_.empty() && !writing_.has_value() && !std::exchange(finished_, true))
      Finish(grpc::Status::OK);
  }
  void Write(const ModelStreamInferResponse& response) {
    bool own = false;
    grpc::SerializationTraits<ModelStreamInferResponse>::Serialize(response, &writing_.emplace(),
                                                                   &own);
    StartWrite(&*writing_);
  }
  void ReadNext() {
    if (closed_ || finished_ || reading_ != nullptr || under_way_.size() >= kMostUnderWay) return;
    reading_ = std::make_shared<Exchange>();
    StartRead(&reading_->bytes);
  }

  const Room& room_;
  grpc::CallbackServerContext& context_;
  const std::string peer_;
  std::shared_ptr<Stream> self_;  // until gRPC is done with it; answers hold it too
  Caller caller_;
  TenantId tenant_;
  Duration looked_{};      // at its key, the last time; of the watch
  std::mutex look_mutex_;  // guards the next one
  bool done_ = false;      // gRPC's part of it is gone
  std::mutex mutex_;       // guards all below
  std::shared_ptr<Exchange> reading_;
  std::deque<std::shared_ptr<Exchange>> under_way_;
  std::optional<grpc::ByteBuffer> writing_;
  MemoryBudget::Share share_;
  std::int64_t held_ = 0;  // by what is under way
  bool closed_ = false;    // nothing more is read
  bool cancelled_ = false;
  bool finished_ = false;
};

}  // namespace

ByteReactor* BeginStream(const Room& room, grpc::CallbackServerContext& context) {
  auto stream = std::make_shared<Stream>(room, context);
  Stream* const raw = stream.get();
  raw->Begin(std::move(stream));
  return raw;
}

}  // namespace fairlead::grpc_room
