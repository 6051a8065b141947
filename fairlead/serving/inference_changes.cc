// What changes while an InferenceWorld runs: tenants and agreements at once, networks and
// processors by a thread of their own, beliefs by what is measured.
#include <algorithm>
#include <future>
#include <utility>
#include <variant>

#include "fairlead/serving/inference_world.h"

namespace fairlead {

void InferenceWorld::Change(ClientChange change, InputReply reply) {
  const auto answer_later = [this, reply](const InputAnswer& answer) {
    if (reply != nullptr) Defer([reply, answer] { reply(answer); });
  };
  if (std::holds_alternative<NetworkLoad>(change) ||
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

void InferenceWorld::LoadNetwork(std::string name, StatusReply reply) {
  const SharedNetworkInfo network = index_.FindNetwork(name);
  if (network == nullptr) return reply(Fail("there is no network '{}'", name));
  if (network->inputs.empty()) return reply(Fail("'{}': {}", name, network->reason));
  if (state_ != ServiceState::kReady) return reply(Fail("the service is not ready"));
  loader_.Post([this, name = std::move(name), reply = std::move(reply)] {
    reply(LoadNow(*index_.FindNetwork(name)));
  });
}

void InferenceWorld::UnloadNetwork(std::string name, StatusReply reply) {
  const SharedNetworkInfo network = index_.FindNetwork(name);
  if (network == nullptr) return reply(Fail("there is no network '{}'", name));
  if (state_ != ServiceState::kReady) return reply(Fail("the service is not ready"));
  loader_.Post([this, name = std::move(name), reply = std::move(reply)] {
    reply(UnloadNow(*index_.FindNetwork(name)));
  });
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
