#include "fairlead/serving/grpc/stream_reactor.h"

#include <deque>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "fairlead/serving/grpc/infer_messages.h"

namespace fairlead::grpc_room {
namespace {

using inference::ModelInferRequest;
using inference::ModelStreamInferResponse;

constexpr std::size_t kMostUnderWay = 64;

// One request and its answer.
struct Exchange {
  std::shared_ptr<ModelInferRequest> request = std::make_shared<ModelInferRequest>();
  std::optional<ModelStreamInferResponse> response;
  Ticket ticket = 0;
};

class Stream final : public StreamReactor {
 public:
  Stream(const Room& room, grpc::CallbackServerContext& context) : room_(room), context_(context) {}

  void Begin(std::shared_ptr<Stream> self) {
    self_ = std::move(self);
    auto tenant = IdentifyTenant(room_, context_);
    if (!tenant.has_value()) {
      finished_ = true;
      return Finish(Tell(context_, tenant.error()));
    }
    tenant_ = *tenant;
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
      under_way_.push_back(exchange);
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

  void OnDone() override { self_.reset(); }

 private:
  void Submit(const std::shared_ptr<Exchange>& exchange) {
    auto call = Complete(CallOf(exchange->request), tenant_, exchange->request->model_version(),
                         TimeLeft(context_));
    if (!call.has_value()) return Answer(*exchange, call.error().message);
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
    const std::lock_guard lock(mutex_);
    exchange.response = std::move(response);
    Advance();
  }

  // With the lock, as is the next one. gRPC calls back later, and on a thread of its own.
  void Advance() {
    if (!writing_.has_value() && !under_way_.empty() && under_way_.front()->response.has_value()) {
      writing_ = std::move(under_way_.front()->response);
      under_way_.pop_front();
      StartWrite(&*writing_);
    }
    ReadNext();
    if (closed_ && under_way_.empty() && !writing_.has_value() && !std::exchange(finished_, true))
      Finish(grpc::Status::OK);
  }
  void ReadNext() {
    if (closed_ || reading_ != nullptr || under_way_.size() >= kMostUnderWay) return;
    reading_ = std::make_shared<Exchange>();
    StartRead(reading_->request.get());
  }

  const Room& room_;
  grpc::CallbackServerContext& context_;
  std::shared_ptr<Stream> self_;  // until gRPC is done with it; answers hold it too
  TenantId tenant_;
  std::mutex mutex_;  // guards all below
  std::shared_ptr<Exchange> reading_;
  std::deque<std::shared_ptr<Exchange>> under_way_;
  std::optional<ModelStreamInferResponse> writing_;
  bool closed_ = false;  // nothing more is read
  bool cancelled_ = false;
  bool finished_ = false;
};

}  // namespace

StreamReactor* BeginStream(const Room& room, grpc::CallbackServerContext& context) {
  auto stream = std::make_shared<Stream>(room, context);
  Stream* const raw = stream.get();
  raw->Begin(std::move(stream));
  return raw;
}

}  // namespace fairlead::grpc_room
