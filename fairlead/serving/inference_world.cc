#include "fairlead/serving/inference_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fairlead/base/check.h"
#include "fairlead/execution/memory_shortage.h"
#include "fairlead/serving/clock.h"
#include "fairlead/serving/network_info.h"
#include "fairlead/serving/refusal_texts.h"
#include "fairlead/serving/tensor_conversion.h"

namespace fairlead {
namespace {

constexpr std::string_view kUncovered = "the contract covers no more requests now";

std::string NoAgreementOn(std::string_view network) {
  return fmt::format("there is no agreement on the network '{}'", network);
}

InferenceAnswer Failure(InferenceCode code, std::string message) {
  return {.code = code, .message = std::move(message)};
}

InferenceCode CodeOf(RefusalCode code) {
  switch (code) {
    case RefusalCode::kClosed: return InferenceCode::kDraining;
    case RefusalCode::kTooMuch:
    case RefusalCode::kNoCapacity: return InferenceCode::kNoCapacity;
    case RefusalCode::kUnreachable: return InferenceCode::kDeadlineUnreachable;
    case RefusalCode::kNotLoaded: return InferenceCode::kNoNetwork;
    case RefusalCode::kAgreementEnded:
    case RefusalCode::kUnknownAgreement: return InferenceCode::kNoAgreement;
    case RefusalCode::kOutOfRange: return InferenceCode::kMalformed;
    default: return InferenceCode::kFailed;
  }
}

}  // namespace

InferenceWorld::InferenceWorld(InferenceSetup setup, std::unique_ptr<SchedulingPolicy> policy)
    : networks_(setup.networks),
      processors_(std::move(setup.processors)),
      network_source_(std::move(setup.network_source)),
      newcomers_for_(setup.newcomers_for),
      patience_(setup.patience),
      clock_(setup.live.clock),
      lost_(setup.networks->accelerators()),
      work_(*setup.networks, {.input =
                                  [this](const JobSample& sample, std::span<float> numbers) {
                                    const std::optional<CallInput> input =
                                        calls_.InputOf(sample.job, sample.index);
                                    if (input.has_value())
                                      WriteNumbers(input->type, input->data.bytes, numbers);
                                  },
                              .output =
                                  [this](const JobSample& sample, std::span<const float> numbers) {
                                    calls_.SetOutput(sample.job, sample.index, numbers);
                                  }}),
      watch_(*this, setup.live.listener, setup.live.recorder),
      world_(Prepared(std::move(setup.live)), std::move(policy)) {
  if (setup.follow.has_value()) follower_.emplace(*setup.follow);
}

InferenceWorld::~InferenceWorld() = default;

LiveSetup InferenceWorld::Prepared(LiveSetup setup) {
  CHECK(setup.requests == nullptr);
  FillIndex(setup.world);
  setup.door = FrontDoor::kOpen;
  setup.engine = ServingOptions(setup.engine);
  setup.expire = true;
  setup.cut = true;
  setup.listener = &watch_;
  setup.recorder = &watch_;
  setup.work = [this](SegmentRun& run) {
    const RefusableWork refusable;
    try {
      return work_.CarryOut(run);
    } catch (const ProcessorLost&) {
      lost_[run.assignment().accelerator.index()] = true;
      throw;
    }
  };
  setup.enter = [this](AcceleratorId accelerator) { return work_.Enter(accelerator); };
  setup.forget = [this](const JobHandle& job) { work_.Forget(job); };
  setup.admit = [this](const SystemState& state, const Request& request) {
    return Admit(state, request);
  };
  setup.after_turn = [this] { Deliver(); };
  if (setup.renewal.has_value()) {
    // Who begins to cancel after this finds no call that has a job.
    setup.renewal->due = [this, due = std::move(setup.renewal->due)](Instant now) {
      return due(now) && cancelling_ == 0 && work_.BeginAnew();
    };
  }
  return setup;
}

void InferenceWorld::FillIndex(const EngineWorld& world) {
  first_networks_ = world.networks.size();
  for (const Accelerator& accelerator : world.platform->accelerators)
    kinds_.push_back(accelerator.kind);
  for (std::size_t n = 0; n < world.networks.size(); ++n)
    index_.AddNetwork(InfoOf(world.networks[n].name(), networks_->network(NetworkId{n}).graph));
  for (const Tenant& tenant : world.tenants) index_.AddTenant(tenant.name);
  for (const ServiceAgreement& agreement : world.agreements) index_.AddAgreement(agreement);
}

Status InferenceWorld::Run() {
  ServiceState starting = ServiceState::kStarting;
  state_.compare_exchange_strong(starting, ServiceState::kReady);
  Status status;
  try {
    status = world_.Run();
  } catch (const std::exception& misfortune) {  // of the policy or a listener
    status = Fail("{}", misfortune.what());
  }
  state_ = ServiceState::kStopped;
  for (const Ticket ticket : calls_.Tickets()) {
    if (std::optional<OpenCall> call = calls_.Close(ticket))
      Finish(std::move(call->reply), call->network,
             Failure(InferenceCode::kFailed, "the service has ended"));
  }
  Deliver();
  return status;
}

void InferenceWorld::Stop() {
  state_ = ServiceState::kDraining;
  world_.Stop();
}

void InferenceWorld::Drain(Duration limit) {
  state_ = ServiceState::kDraining;
  world_.Close(clock_->Now() + std::min(limit, kLongestDuration));
}

// ---- Calls ---------------------------------------------------------------------------------

Ticket InferenceWorld::Submit(InferenceCall call, AnswerReply reply) {
  OpenCall open{.reply = std::move(reply)};
  const auto refuse = [&](InferenceCode code, std::string message) -> Ticket {
    Finish(std::move(open.reply), open.network, Failure(code, std::move(message)));
    Deliver();
    return 0;
  };
  const CallTarget target = index_.Find(call.tenant, call.network);
  open.network = target.network;
  if (open.network == nullptr)
    return refuse(InferenceCode::kNoNetwork, UnknownNetwork(call.network));
  if (const std::size_t samples = SamplesOf(*open.network, call); samples > kMostSamples) {
    return refuse(InferenceCode::kMalformed,
                  fmt::format("{} samples; a call may have {}", samples, kMostSamples));
  } else if (samples > 1) {
    return groups_.Submit(call, samples, std::move(open.reply));
  }
  if (!target.agreement.valid())
    return refuse(InferenceCode::kNoAgreement, NoAgreementOn(call.network));
  if (!open.network->ready)
    return refuse(InferenceCode::kNoNetwork, NotReady(call.network, open.network->reason));
  if (const ServiceState state = state_; state >= ServiceState::kDraining)
    return refuse(InferenceCode::kDraining, "no more calls are taken");
  if (const Status taken = TakeInputs(call, open); !taken.has_value())
    return refuse(InferenceCode::kMalformed, taken.error().message);
  Duration deadline = target.deadline > Duration::zero() ? target.deadline : patience_;
  if (call.timeout.has_value()) deadline = std::clamp(*call.timeout, Duration::zero(), deadline);

  const RefusableWork whole(false);  // it comes to its end now
  const Ticket ticket = calls_.Open(std::move(open));
  world_.Submit(
      {.number = ticket,
       .agreement = target.agreement,
       .deadline = deadline,
       .priority = call.priority.value_or(1)},
      [this, ticket](const InputAnswer& answer) { Entered(ticket, answer); }, call.received);
  Deliver();
  return ticket;
}

std::optional<InferenceAnswer> InferenceWorld::RefuseEarly(TenantId tenant,
                                                           std::string_view network) {
  const CallTarget target = index_.Find(tenant, network);
  if (target.network == nullptr) return Failure(InferenceCode::kNoNetwork, UnknownNetwork(network));
  if (!target.agreement.valid())
    return Failure(InferenceCode::kNoAgreement, NoAgreementOn(network));
  if (!target.network->ready)
    return Failure(InferenceCode::kNoNetwork, NotReady(network, target.network->reason));
  if (state_ >= ServiceState::kDraining)
    return Failure(InferenceCode::kDraining, "no more calls are taken");
  Instant until{};
  {
    const std::lock_guard lock(uncovered_mutex_);
    if (target.agreement.index() < uncovered_until_.size())
      until = uncovered_until_[target.agreement.index()];
  }
  const Instant now = clock_->Now();
  if (until <= now) return std::nullopt;
  InferenceAnswer answer = Failure(InferenceCode::kOverContract, std::string(kUncovered));
  answer.retry_after = until - now;
  counts_.Ended(target.network->id, answer, WallNanoseconds());
  const Ticket ticket = calls_.Open({.network = target.network, .refused = true});
  world_.Submit({.number = ticket, .agreement = target.agreement, .deadline = patience_},
                [this, ticket](const InputAnswer& entered) { Entered(ticket, entered); });
  Deliver();
  return answer;
}

void InferenceWorld::NoteUncovered(AgreementId agreement, Instant until) {
  const std::lock_guard lock(uncovered_mutex_);
  if (agreement.index() >= uncovered_until_.size()) uncovered_until_.resize(agreement.index() + 1);
  uncovered_until_[agreement.index()] = until;
}

// Each input of the network once, and nothing else.
Status InferenceWorld::TakeInputs(InferenceCall& call, OpenCall& open) const {
  const NetworkInfo& network = *open.network;
  open.inputs.resize(network.inputs.size());
  std::size_t taken = 0;
  for (std::size_t i = 0; i < network.inputs.size(); ++i) {
    const TensorInfo& wanted = network.inputs[i];
    for (TensorData& tensor : call.inputs) {
      if (tensor.info.name != wanted.name) continue;
      if (open.inputs[i].data.owner != nullptr)
        return Fail("input '{}' is there twice", wanted.name);
      RETURN_IF_ERROR(CheckInput(wanted, tensor));
      open.inputs[i] = {tensor.info.type, std::move(tensor.data)};
      ++taken;
    }
    if (taken <= i) return Fail("input '{}' is missing", wanted.name);
  }
  if (taken < call.inputs.size()) {
    const auto stranger = std::ranges::find_if(call.inputs, [&](const TensorData& tensor) {
      return std::ranges::find(network.inputs, tensor.info.name, &TensorInfo::name) ==
             network.inputs.end();
    });
    return Fail("the network has no input '{}'", stranger->info.name);
  }
  if (call.outputs.empty()) {
    for (std::size_t i = 0; i < network.outputs.size(); ++i) open.wanted.push_back(i);
  }
  for (const std::string& name : call.outputs) {
    const auto found = std::ranges::find(network.outputs, name, &TensorInfo::name);
    if (found == network.outputs.end()) return Fail("the network has no output '{}'", name);
    const auto index = static_cast<std::size_t>(found - network.outputs.begin());
    if (std::ranges::find(open.wanted, index) != open.wanted.end())
      return Fail("output '{}' is asked for twice", name);
    open.wanted.push_back(index);
  }
  return {};
}

// By whoever has the engine: the request has become a job, or it was refused.
void InferenceWorld::Entered(Ticket ticket, const InputAnswer& answer) {
  if (answer.has_value()) {
    if (!calls_.Enter(ticket, answer->job)) world_.Post(Cancellation{answer->job});
    return;
  }
  if (std::optional<OpenCall> call = calls_.Close(ticket))
    Finish(std::move(call->reply), call->network,
           Failure(CodeOf(answer.error().code), answer.error().message));
}

// One that counts ends as a job does; it is answered before, since the job's end knows less.
std::optional<Rejection> InferenceWorld::Admit(const SystemState& state, const Request& request) {
  if (calls_.IsCancelled(request.number))
    return Rejection{{RefusalCode::kClosed, "it was cancelled before it came"}};
  if (calls_.IsRefused(request.number)) {
    // Its contract is asked again: by now it may have another one.
    if (state.ledger.UntilToken(request.agreement) > Duration::zero()) return std::nullopt;
    return Rejection{{RefusalCode::kNoCapacity, "it was refused before it was read"}};
  }
  std::optional<Rejection> rejection = admission_(state, request);
  if (!rejection.has_value()) return rejection;
  if (std::optional<OpenCall> call = calls_.Close(request.number)) {
    InferenceAnswer answer = Failure(CodeOf(rejection->refusal.code), rejection->refusal.message);
    if (answer.code == InferenceCode::kNoCapacity) answer.retry_after = std::chrono::seconds{1};
    Finish(std::move(call->reply), call->network, std::move(answer));
  }
  return rejection;
}

void InferenceWorld::Cancel(Ticket ticket) {
  if ((ticket & kGroupTicket) != 0) return groups_.Cancel(ticket);
  ++cancelling_;
  std::optional<CallTable::Cancelled> cancelled = calls_.Cancel(ticket);
  if (cancelled.has_value()) {
    Finish(std::move(cancelled->reply), cancelled->network,
           Failure(InferenceCode::kCancelled, "it was cancelled"));
    if (cancelled->job.has_value()) world_.Post(Cancellation{*cancelled->job});
  }
  --cancelling_;
  if (cancelled.has_value()) Deliver();
}

// ---- Answers -------------------------------------------------------------------------------

void InferenceWorld::JobEnded(const Job& job, Outcome outcome, Reason reason, Instant now) {
  if (reason == Reason::kUncovered)
    NoteUncovered(job.agreement, now + world_.engine().state().ledger.UntilToken(job.agreement));
  std::optional<OpenCall> call = calls_.Close(job.request);
  if (!call.has_value() || call->reply == nullptr) return;
  InferenceAnswer answer;
  if (job.started()) {
    answer.queued = job.first_start - job.arrival;
    answer.executed = now - job.first_start;
  } else {
    answer.queued = now - job.arrival;
  }
  if (outcome == Outcome::kHit) {
    for (const std::size_t output : call->wanted) {
      if (output < call->outputs.size() && call->outputs[output].data.owner != nullptr) {
        answer.outputs.push_back(std::move(call->outputs[output]));
      } else {
        answer = Failure(InferenceCode::kFailed, "it computed nothing");
        break;
      }
    }
  } else if (outcome == Outcome::kMiss) {
    answer.code = InferenceCode::kDeadlinePassed;
    answer.message = "it was done after its deadline";
  } else {
    Explain(job, reason, answer);
  }
  Finish(std::move(call->reply), call->network, std::move(answer));
}

void InferenceWorld::Explain(const Job& job, Reason reason, InferenceAnswer& answer) const {
  const SystemState& state = world_.engine().state();
  switch (reason) {
    case Reason::kHopeless:
      answer.code = InferenceCode::kDeadlineUnreachable;
      answer.message = "it can no longer be done by its deadline";
      break;
    case Reason::kNone:
    case Reason::kLate:
      answer.code = InferenceCode::kDeadlinePassed;
      answer.message = "its deadline has passed";
      break;
    case Reason::kCancelled:
      if (state.unloaded[job.network.index()]) {
        answer.code = InferenceCode::kNoNetwork;
        answer.message = "the network was unloaded";
      } else {
        answer.code =
            state_ == ServiceState::kReady ? InferenceCode::kCancelled : InferenceCode::kDraining;
        answer.message = "it was cancelled";
      }
      break;
    case Reason::kFailed:
      answer.code = InferenceCode::kFailed;
      answer.message = "its segments failed too often";
      break;
    case Reason::kOverload: {
      answer.code = InferenceCode::kNoCapacity;
      answer.message = "there is too much to do";
      Instant free = kNever;
      for (const AcceleratorState& accelerator : state.accelerators)
        if (accelerator.online) free = std::min(free, accelerator.believed_free);
      if (free != kNever) answer.retry_after = std::max(free - state.now, Duration{1'000'000});
      break;
    }
    case Reason::kUncovered:
      answer.code = InferenceCode::kOverContract;
      answer.message = kUncovered;
      answer.retry_after = state.ledger.UntilToken(job.agreement);
      break;
  }
}

void InferenceWorld::Finish(AnswerReply reply, const SharedNetworkInfo& network,
                            InferenceAnswer answer) {
  if (reply == nullptr) return;
  const RefusableWork whole(false);
  if (network != nullptr) counts_.Ended(network->id, answer, WallNanoseconds());
  const std::lock_guard lock(done_mutex_);
  answers_.Push({std::move(reply), std::move(answer)});
  ++to_deliver_;
}

void InferenceWorld::Defer(std::function<void()> act) {
  const std::lock_guard lock(done_mutex_);
  acts_.Push(std::move(act));
  ++to_deliver_;
}

// With nothing held: whoever is called may call back. Who has waited longest is first.
void InferenceWorld::Deliver() {
  const RefusableWork whole(false);
  while (to_deliver_ > 0) {
    std::unique_lock lock(done_mutex_);
    if (!answers_.empty()) {
      Finished finished = answers_.Pop();
      --to_deliver_;
      lock.unlock();
      finished.reply(std::move(finished.answer));
    } else if (!acts_.empty()) {
      const std::function<void()> act = acts_.Pop();
      --to_deliver_;
      lock.unlock();
      act();
    }
  }
}

}  // namespace fairlead
