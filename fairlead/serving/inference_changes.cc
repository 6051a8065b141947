// What changes while an InferenceWorld runs: tenants and agreements at once, networks and
// processors by a thread of their own, beliefs by what is measured.
#include <algorithm>
#include <future>
#include <new>
#include <set>
#include <utility>
#include <variant>

#include "fairlead/base/check.h"
#include "fairlead/execution/memory_shortage.h"
#include "fairlead/serving/inference_world.h"
#include "fairlead/serving/network_info.h"

namespace fairlead {
namespace {

// A segment that runs is never interrupted: one that takes most of the shortest deadline that is
// promised would break that promise, whoever it is for.
Status CheckSegments(const LoadedNetworks& networks, NetworkId network, LiveWorld& world) {
  Duration shortest = Duration::max();
  world.Look([&](const SchedulingEngine& engine, const std::vector<double>& /*busy*/) {
    const FairnessLedger& ledger = engine.state().ledger;
    for (std::size_t a = 0; a < ledger.size(); ++a) {
      const ServiceAgreement& promise = ledger.Promise(AgreementId{a});
      if (ledger.IsOpen(AgreementId{a}) && promise.target.has_value() &&
          promise.deadline > Duration::zero())
        shortest = std::min(shortest, promise.deadline);
    }
  });
  const Duration longest = LongestSegment(networks, network);
  if (longest <= shortest / 2) return {};
  return Fail(
      "one of its segments takes {:.0f} ms, and a deadline of {:.0f} ms is promised; cut networks "
      "finer (segments: layers), or give it another server",
      1e3 * Seconds(longest), 1e3 * Seconds(shortest));
}

}  // namespace

void InferenceWorld::Change(ClientChange change, InputReply reply) {
  const auto answer_later = [this, reply](const InputAnswer& answer) {
    if (reply != nullptr) Defer([reply, answer] { reply(answer); });
  };
  if (std::holds_alternative<NetworkLoad>(change) || std::holds_alternative<NetworkAdd>(change) ||
      std::holds_alternative<NetworkUnload>(change)) {
    answer_later(tl::unexpected<Refusal>(
        {RefusalCode::kNotLoaded, "networks are loaded and unloaded by their names"}));
  } else if (const auto* back = std::get_if<AcceleratorReturn>(&change);
             back != nullptr && processors_ != nullptr &&
             back->accelerator.index() < lost_.size() && lost_[back->accelerator.index()]) {
    loader_.Post([this, accelerator = back->accelerator, reply] {
      const Status loaded = ReturnNow(accelerator);
      InputAnswer answer = tl::unexpected<Refusal>({RefusalCode::kNoCapacity, ""});
      if (loaded.has_value()) {
        answer = Apply(AcceleratorReturn{accelerator});
      } else {
        answer.error().message = loaded.error().message;
      }
      if (reply != nullptr) reply(answer);
    });
  } else {
    world_.Post(std::move(change), answer_later);
  }
  Deliver();
}

// Waits for the engine: on the loader's thread alone.
InputAnswer InferenceWorld::Apply(ClientChange change) {
  std::promise<InputAnswer> answer;
  world_.Post(std::move(change), [&](const InputAnswer& one) { answer.set_value(one); });
  return answer.get_future().get();
}

std::vector<std::string> InferenceWorld::Loadable() const {
  std::vector<std::string> names;
  if (network_source_.has_value() && network_source_->names != nullptr)
    names = network_source_->names();
  std::erase_if(names,
                [&](const std::string& name) { return index_.FindNetwork(name) != nullptr; });
  return names;
}

bool InferenceWorld::CanLoad(const std::string& name) const {
  if (index_.FindNetwork(name) != nullptr) return true;
  if (network_source_.has_value() && network_source_->has != nullptr)
    return network_source_->has(name);
  const std::vector<std::string> names = Loadable();
  return std::ranges::find(names, name) != names.end();
}

void InferenceWorld::LoadNetwork(NetworkOrder order, StatusReply reply) {
  const SharedNetworkInfo network = index_.FindNetwork(order.name);
  if (network == nullptr && !network_source_.has_value())
    return reply(Fail("there is no network '{}'", order.name));
  if (network != nullptr && network->inputs.empty() && !order.file.has_value())
    return reply(Fail("'{}': {}", order.name, network->reason));
  if (state_ != ServiceState::kReady) return reply(Fail("the service is not ready"));
  loader_.Post(
      [this, order = std::move(order), reply = std::move(reply)] { reply(CarryOut(order)); });
}

Status InferenceWorld::CarryOut(const NetworkOrder& order) {
  const SharedNetworkInfo known = index_.FindNetwork(order.name);
  if (known == nullptr) return AddNow(order);
  if (!order.file.has_value()) {
    if (!networks_->network(known->id).graph.operators.empty()) return LoadNow(*known);
    return AddNow(order);
  }
  if (known->ready) return Fail("'{}' is loaded; unload it first", order.name);
  return AddNow(order);
}

void InferenceWorld::UnloadNetwork(std::string name, StatusReply reply) {
  const SharedNetworkInfo network = index_.FindNetwork(name);
  if (network == nullptr) return reply(Fail("there is no network '{}'", name));
  if (state_ != ServiceState::kReady) return reply(Fail("the service is not ready"));
  loader_.Post([this, name = std::move(name), reply = std::move(reply)] {
    reply(UnloadNow(*index_.FindNetwork(name)));
  });
}

Result<RunnableNetwork> InferenceWorld::Find(const NetworkOrder& order) const {
  const RefusableWork refusable;
  try {
    return network_source_->find(order);
  } catch (const std::bad_alloc&) {
    return Fail("there is no memory for '{}' now", order.name);
  }
}

// Under a name that no network has which is loaded.
Status InferenceWorld::AddNow(const NetworkOrder& order) {
  if (!network_source_.has_value()) return Fail("networks come from nowhere here");
  ASSIGN_OR_RETURN(RunnableNetwork found, Find(order));
  found.graph.name = order.name;
  NetworkInfo info = InfoOf(order.name, found.graph);
  ASSIGN_OR_RETURN(const NetworkId id, work_.Add(*networks_, std::move(found)));
  if (const Status fits = CheckSegments(*networks_, id, world_); !fits.has_value()) {
    work_.RemoveLast(*networks_);
    return fits;
  }
  const InputAnswer answer = Apply(NetworkAdd{Described(id)});
  if (!answer.has_value()) {
    work_.RemoveLast(*networks_);
    return Fail("{}", answer.error().message);
  }
  CHECK(answer->network == id);
  const SharedNetworkInfo before = index_.FindNetwork(order.name);
  index_.AddNetwork(std::move(info));
  if (before != nullptr) return BringAgreements(before->id, id);
  if (newcomers_for_.valid()) {
    const InputAnswer agreed = Apply(AgreementStart{
        {.tenant = newcomers_for_, .network = id, .deadline = patience_, .target = std::nullopt}});
    if (!agreed.has_value()) return Fail("{}", agreed.error().message);
  }
  return {};
}

// As it was measured when it was loaded.
NewNetwork InferenceWorld::Described(NetworkId network) const {
  const RunnableNetwork& runnable = networks_->network(network);
  NewNetwork described{.name = runnable.graph.name};
  const std::size_t segments = runnable.bounds.size() - 1;
  described.segments.resize(segments);
  std::set<std::pair<std::size_t, std::size_t>> seen;  // kinds and batches
  for (const RunPool& pool : networks_->pools()) {
    if (pool.network != network) continue;
    for (const AcceleratorId accelerator : pool.accelerators) {
      const KindId kind = kinds_[accelerator.index()];
      if (!seen.emplace(kind.index(), pool.batch).second) continue;
      for (std::size_t s = 0; s < segments; ++s)
        described.segments[s].costs.push_back(
            {.kind = kind, .batch = static_cast<int>(pool.batch), .latency = pool.measured.at(s)});
    }
  }
  for (std::size_t s = 0; s + 1 < segments; ++s)
    described.segments[s].alive_bytes = static_cast<std::int64_t>(
        networks_->LiveNumbers(network, runnable.bounds[s + 1]) * sizeof(float));
  return described;
}

// Who had an agreement on a network has it on the one that takes its place, and goes on there.
Status InferenceWorld::BringAgreements(NetworkId from, NetworkId to) {
  struct Brought {
    AgreementId id;
    ServiceAgreement terms;
    AgreementHistory history;
  };
  std::vector<Brought> all;
  world_.Look([&](const SchedulingEngine& engine, const std::vector<double>& /*busy*/) {
    const FairnessLedger& ledger = engine.state().ledger;
    for (std::size_t a = 0; a < ledger.size(); ++a) {
      const AgreementId id{a};
      if (ledger.IsOpen(id) && ledger.Promise(id).network == from)
        all.push_back({id, ledger.Promise(id), ledger.History(id)});
    }
  });
  for (Brought& one : all) {
    one.terms.network = to;
    InputAnswer answer = Apply(AgreementEnd{one.id});
    if (answer.has_value()) answer = Apply(AgreementStart{one.terms});
    if (answer.has_value()) answer = Apply(AgreementContinue{answer->agreement, one.history});
    if (!answer.has_value()) return Fail("{}", answer.error().message);
  }
  return {};
}

Status InferenceWorld::LoadNow(NetworkInfo info) {
  if (info.ready) return {};
  if (Status loaded = work_.Load(*networks_, info.id); !loaded.has_value()) {
    info.reason = loaded.error().message;
    index_.ChangeNetwork(info);
    return loaded;
  }
  if (const InputAnswer answer = Apply(NetworkLoad{info.id}); !answer.has_value())
    return Fail("{}", answer.error().message);
  info.ready = true;
  info.reason.clear();
  index_.ChangeNetwork(std::move(info));
  return {};
}

Status InferenceWorld::UnloadNow(NetworkInfo info) {
  if (!info.ready) return {};
  info.ready = false;
  info.reason = "it was unloaded";
  index_.ChangeNetwork(info);
  if (const InputAnswer answer = Apply(NetworkUnload{info.id}); !answer.has_value())
    return Fail("{}", answer.error().message);
  work_.Unload(*networks_, info.id);
  // What can be found again is not kept.
  if (info.id.index() >= first_networks_) networks_->SetGraph(info.id, {});
  return {};
}

Status InferenceWorld::ReturnNow(AcceleratorId accelerator) {
  ASSIGN_OR_RETURN(auto processor, processors_(accelerator));
  RETURN_IF_ERROR(work_.LoadAgain(*networks_, accelerator, std::move(processor)));
  lost_[accelerator.index()] = false;
  return {};
}

// Of jobs that are wanted: what was cut says nothing about how long it takes.
void InferenceWorld::SegmentFinished(const Assignment& assignment, Instant now) {
  if (!follower_.has_value()) return;
  const SystemState& state = world_.engine().state();
  const auto active = [&](JobId job) { return state.jobs[job.index()].active; };
  if (std::ranges::any_of(assignment.jobs, active)) follower_->Note(state, assignment, now);
  for (const BeliefChange& change : follower_->Propose(state)) world_.Post(change);
}

}  // namespace fairlead
