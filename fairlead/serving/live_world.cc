#include "fairlead/serving/live_world.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "fairlead/base/check.h"
#include "fairlead/execution/memory_shortage.h"

namespace fairlead {
namespace {

InputAnswer Refuse(RefusalCode code, std::string message) {
  return tl::unexpected<Refusal>({code, std::move(message)});
}

void Answer(const InputReply& reply, const InputAnswer& answer) {
  if (reply != nullptr) reply(answer);
}

// The world whose turn this thread has taken: what it hands in meanwhile waits for the next. A turn
// is taken as a whole, whatever memory there is.
thread_local const LiveWorld* turn_of = nullptr;

struct InTurn {
  explicit InTurn(const LiveWorld* world) { turn_of = world; }
  ~InTurn() { turn_of = nullptr; }
  InTurn(const InTurn&) = delete;
  InTurn& operator=(const InTurn&) = delete;
  const RefusableWork whole{false};
};

}  // namespace

LiveWorld::LiveWorld(LiveSetup setup, std::unique_ptr<SchedulingPolicy> policy)
    : setup_(std::move(setup)),
      door_open_(setup_.door == FrontDoor::kOpen),
      backend_({.platform = setup_.world.platform,
                .truth = setup_.truth,
                .clock = setup_.clock,
                .work = setup_.work,
                .enter = setup_.enter,
                .forget = setup_.forget,
                .report =
                    [this](Input input) {
                      // After the end nobody wants to know.
                      static_cast<void>(inbox_.PutQuietly({.input = std::move(input)}));
                    },
                .reported = [this] { TakeTurns(); },
                .cut = setup_.cut,
                .spin = setup_.spin}),
      busy_(*setup_.world.platform, setup_.listener),
      engine_(std::make_unique<SchedulingEngine>(setup_.world, setup_.engine, std::move(policy),
                                                 backend_)),
      inputs_(std::make_unique<CheckedInputs>(*engine_, setup_.policies)),
      driver_(*this, setup_, *engine_) {
  engine_->set_listener(&busy_);
  engine_->set_recorder(setup_.recorder);
  CHECK(!setup_.renewal.has_value() || setup_.policies != nullptr);
}

// ---- From any thread -----------------------------------------------------------------------

void LiveWorld::Submit(Request request, InputReply reply, std::optional<Instant> arrived) {
  if (!door_open_) return Answer(reply, Refuse(RefusalCode::kClosed, "the front door is closed"));
  const Instant now = setup_.clock->Now();
  request.arrival = std::min(arrived.value_or(now), now);
  Put({Arrival{request}, std::move(reply)});
}

void LiveWorld::Post(ClientChange change, InputReply reply) {
  Put({std::visit([](auto what) { return Input(std::move(what)); }, std::move(change)),
       std::move(reply)});
}

void LiveWorld::Put(Message message) {
  if (const std::optional<Message> back = inbox_.PutQuietly(std::move(message)))
    return Answer(back->reply, Refuse(RefusalCode::kClosed, "the run has ended"));
  if (turn_of != this) TakeTurns();
}

void LiveWorld::Close(Instant by) {
  close_by_ = by;
  door_open_ = false;
  inbox_.Wake();
}

void LiveWorld::Look(const Looker& look) {
  {
    const std::lock_guard turn(turn_);
    look(*engine_, busy_.busy());
  }
  if (!inbox_.empty()) inbox_.Wake();  // somebody may have found the engine taken
}

void LiveWorld::Stop() {
  stopping_ = true;
  inbox_.Wake();
}

// ---- Turns ---------------------------------------------------------------------------------

Status LiveWorld::Run() {
  const std::stop_callback on_stop(setup_.stop, [this] { Stop(); });
  Status status;
  try {
    status = Turns();
  } catch (...) {
    const std::lock_guard turn(turn_);
    EndTurns({}, std::current_exception());
  }
  if (thrown_ != nullptr) {
    backend_.Stop();
    std::rethrow_exception(thrown_);
  }
  Finish();
  if (setup_.after_turn != nullptr) setup_.after_turn();
  return status;
}

Status LiveWorld::Turns() {
  std::unique_lock turn(turn_);
  begun_ = true;
  driver_.Begin();
  while (!ended_ && !Over()) {
    if (Stranded()) {
      EndTurns(driver_.EndStrandedJobs());
      break;
    }
    awaited_ = NextInstant();
    turn.unlock();
    // Whoever found the engine taken has left its news here for us.
    if (inbox_.empty()) inbox_.Wait(*setup_.clock, awaited_);
    turn.lock();
    if (ended_ || (inbox_.empty() && setup_.clock->Now() < NextInstant())) continue;
    if (Status taken = Turn(); !taken.has_value()) EndTurns(std::move(taken));
    if (setup_.after_turn == nullptr) continue;
    turn.unlock();
    setup_.after_turn();
    turn.lock();
  }
  ended_ = true;
  return std::move(status_);
}

// Of a thread that has put something into the inbox. If another has the engine, that one looks into
// the inbox after it has let go of it, and so finds what was put there.
void LiveWorld::TakeTurns() {
  while (!inbox_.empty()) {
    std::unique_lock turn(turn_, std::try_to_lock);
    if (!turn.owns_lock() || !begun_ || ended_ || stopping_) return;
    try {
      if (Status taken = Turn(); !taken.has_value()) EndTurns(std::move(taken));
    } catch (...) {  // of a policy or a listener: Run's caller hears of it
      EndTurns({}, std::current_exception());
    }
    if (RunIsNeeded()) inbox_.Wake();
    turn.unlock();
    if (setup_.after_turn != nullptr) setup_.after_turn();
  }
}

void LiveWorld::EndTurns(Status status, std::exception_ptr thrown) {
  ended_ = true;
  status_ = std::move(status);
  thrown_ = std::move(thrown);
}

Status LiveWorld::Turn() {
  const InTurn in_turn(this);
  inbox_.Take(batch_);
  const Instant now = setup_.clock->Now();
  if (const Duration period = setup_.engine.period;
      period > Duration::zero() && engine_->NextTimer() <= now) {
    // Decisions with a period are made at multiples of it, and a real clock never shows one
    // exactly: opens the last that has passed, with what was known by then.
    driver_.Advance(now - now.time_since_epoch() % period);
    RETURN_IF_ERROR(DecideAndCommit());
    engine_->Advance(now);
  } else {
    driver_.Advance(now);
  }
  driver_.ApplyEvents(now);
  RETURN_IF_ERROR(DecideAndCommit());
  return RenewIfDue(now);
}

// For what no other thread comes to do.
bool LiveWorld::RunIsNeeded() { return ended_ || NextInstant() < awaited_ || Over() || Stranded(); }

bool LiveWorld::Over() const {
  if (stopping_ || setup_.clock->Now() >= close_by_.load()) return true;
  // The door is looked at before the inbox: what was put in before it closed is seen.
  return !door_open_ && !driver_.HasRequests() && engine_->Drained() && NothingRuns() &&
         inbox_.empty();
}

// Nothing will ever happen again, and jobs are left.
bool LiveWorld::Stranded() {
  if (door_open_ || !NothingRuns() || !inbox_.empty()) return false;
  return NextInstant() == kNever || driver_.Stranded();
}

bool LiveWorld::NothingRuns() const {
  const auto idle = [](const AcceleratorState& accelerator) { return accelerator.running.empty(); };
  return std::ranges::all_of(engine_->state().accelerators, idle);
}

Instant LiveWorld::NextInstant() {
  Instant next = std::min(engine_->NextTimer(), close_by_.load());
  if (setup_.expire) next = std::min(next, engine_->NextExpiry());
  return driver_.NextInstant(next, door_open_);
}

void LiveWorld::ApplyChange(const Input& input) { CHECK(Apply(input).has_value()); }

void LiveWorld::ApplyOwnEvents(Instant now) {
  ApplyBatch();
  if (setup_.expire && engine_->NextExpiry() <= now) CHECK(inputs_->Apply(Expiry{}).has_value());
}

void LiveWorld::ApplyArrival(const Arrival& arrival) { CHECK(inputs_->Apply(arrival).has_value()); }

void LiveWorld::ApplyGuardAct(const GuardAct& act) {
  const Input input = std::visit([](const auto& what) { return Input(what); }, act);
  CHECK(inputs_->Apply(input).has_value());
}

void LiveWorld::ApplyBatch() {
  for (const Message& message : batch_) Answer(message.reply, Apply(message.input));
}

InputAnswer LiveWorld::Apply(const Input& input) {
  if (const Arrival* const arrival = std::get_if<Arrival>(&input)) {
    InputAnswer answer = Admit(*arrival);
    if (setup_.advisor != nullptr && answer.has_value()) setup_.advisor->NoteInput(input);
    return answer;
  }
  if (std::holds_alternative<GuardRules>(input) &&
      (setup_.policies == nullptr || !setup_.policies(driver_.guard().policy()).has_value()))
    return Refuse(RefusalCode::kUnknownPolicy, "the policy of this run could not come back");
  InputAnswer answer = inputs_->Apply(input);
  if (!answer.has_value()) return answer;
  if (std::holds_alternative<AcceleratorLoss>(input)) lost_at_ = engine_->state().now;
  driver_.NoteInput(input);
  if (const NetworkAdd* const add = std::get_if<NetworkAdd>(&input)) LearnCosts(add->network);
  return answer;
}

// The work itself says how long it takes; what it says of energy and traffic is not known.
void LiveWorld::LearnCosts(const NewNetwork& network) {
  auto truth = std::make_unique<const CostTable>(
      WithNetwork(*setup_.truth, engine_->state().networks, network));
  setup_.truth = truth.get();
  backend_.SetTruth(setup_.truth);
  own_truth_ = std::move(truth);
}

InputAnswer LiveWorld::Admit(const Arrival& arrival) {
  const FairnessLedger& ledger = engine_->state().ledger;
  const AgreementId agreement = arrival.request.agreement;
  if (agreement.index() >= ledger.size()) return inputs_->Apply(arrival);
  if (!ledger.IsOpen(agreement))
    return Refuse(RefusalCode::kAgreementEnded, "the agreement has ended");
  if (setup_.admit == nullptr) return inputs_->Apply(arrival);
  std::optional<Rejection> rejection = setup_.admit(engine_->state(), arrival.request);
  if (!rejection.has_value()) return inputs_->Apply(arrival);
  if (rejection->counts) {
    InputAnswer arrived = inputs_->Apply(arrival);
    if (!arrived.has_value()) return arrived;
    CHECK(inputs_->Apply(Cancellation{arrived->job}).has_value());
  }
  return tl::unexpected<Refusal>(std::move(rejection->refusal));
}

Status LiveWorld::DecideAndCommit() {
  if (!driver_.OpenDecision()) return {};
  driver_.Decide([this] { return setup_.clock->Now(); });
  return driver_.Commit();
}

// ---- The end -------------------------------------------------------------------------------

void LiveWorld::Finish() {
  door_open_ = false;
  backend_.Stop();
  const std::lock_guard turn(turn_);
  inbox_.Close(batch_);
  if (!batch_.empty() || !engine_->Drained()) {
    engine_->Advance(setup_.clock->Now());
    ApplyBatch();
    // Who interrupts a run asks how far it has come: what had not ended has no end.
    totals_.interrupted = setup_.stop.stop_requested() && !engine_->Drained();
    if (!totals_.interrupted) CancelJobs(*engine_);
  }
  const ExecutionTotals totals = backend_.totals();
  totals_ = {.end = engine_->state().now,
             .energy_pj = totals.energy_pj,
             .traffic_bytes = totals.traffic_bytes,
             .busy = busy_.busy(),
             .interrupted = totals_.interrupted};
}

}  // namespace fairlead
