#include "fairlead/learning/torch/learner.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "fairlead/learning/torch/torch_networks.h"

namespace fairlead {
namespace {

using torch::Tensor;

std::vector<float> Floats(const Tensor& tensor) {
  const Tensor flat = tensor.detach().to(torch::kCPU).contiguous().view(-1);
  const auto* first = flat.data_ptr<float>();
  return {first, first + flat.numel()};
}

void Fill(const Tensor& tensor, const std::vector<float>& values) {
  TORCH_INTERNAL_ASSERT(tensor.numel() == static_cast<std::int64_t>(values.size()));
  const torch::NoGradGuard no_gradient;
  tensor.copy_(torch::tensor(values).view(tensor.sizes()));
}

void CopyParameters(const torch::nn::Module& from, const torch::nn::Module& to) {
  const torch::NoGradGuard no_gradient;
  const auto source = from.parameters();
  const auto target = to.parameters();
  for (std::size_t i = 0; i < source.size(); ++i) target[i].copy_(source[i]);
}

// The file and its name are on the disk when this returns.
Status Publish(const std::string& written, const std::string& path) {
  const int file = ::open(written.c_str(), O_RDONLY);
  const bool synced = file >= 0 && ::fsync(file) == 0;
  if (file >= 0) ::close(file);
  std::error_code error;
  if (synced) std::filesystem::rename(written, path, error);
  if (!synced || error) return Fail("{}: can't be written ({})", path, std::strerror(errno));
  return {};
}

class TorchLearner final : public ActorLearner {
 public:
  TorchLearner(const ActorShape& shape, const LearnerOptions& options, torch::Device device)
      : state_(shape, options, device) {}

  double Imitate(std::span<const ExperiencedDecision* const> decisions, double progress) override {
    return ImitationStep(state_, decisions, progress);
  }
  DdpgFigures Improve(std::span<const Transition> transitions) override {
    return DdpgStep(state_, transitions);
  }

  std::vector<float> Act(std::span<const float> features) const override {
    const torch::NoGradGuard no_gradient;
    const std::vector<float> copy(features.begin(), features.end());
    const Tensor rows = torch::tensor(copy).view({1, -1, state_.shape.features});
    TorchActor actor = state_.actor;
    return Floats(actor->forward(rows.to(state_.device)));
  }

  GruNetwork Weights() const override {
    const auto gru = state_.actor->gru->named_parameters();
    return {.inputs = state_.shape.features,
            .hidden = state_.shape.hidden,
            .outputs = state_.shape.outputs,
            .input_weights = Floats(gru["weight_ih_l0"]),
            .hidden_weights = Floats(gru["weight_hh_l0"]),
            .input_biases = Floats(gru["bias_ih_l0"]),
            .hidden_biases = Floats(gru["bias_hh_l0"]),
            .head_weights = Floats(state_.actor->head->weight),
            .head_biases = Floats(state_.actor->head->bias)};
  }

  void SetWeights(const GruNetwork& weights) override {
    const auto gru = state_.actor->gru->named_parameters();
    Fill(gru["weight_ih_l0"], weights.input_weights);
    Fill(gru["weight_hh_l0"], weights.hidden_weights);
    Fill(gru["bias_ih_l0"], weights.input_biases);
    Fill(gru["bias_hh_l0"], weights.hidden_biases);
    Fill(state_.actor->head->weight, weights.head_weights);
    Fill(state_.actor->head->bias, weights.head_biases);
    CopyParameters(*state_.actor, *state_.target_actor);
  }

  Status Save(const std::string& path, std::string_view notes) const override;
  Result<std::string> Load(const std::string& path) override;

  std::string Device() const override { return state_.device.is_cuda() ? "cuda" : "cpu"; }

 private:
  template <typename Visit>
  static void VisitParts(TorchState& state, Visit&& visit) {
    visit("actor", *state.actor);
    visit("target_actor", *state.target_actor);
    visit("critic", *state.critic);
    visit("target_critic", *state.target_critic);
    visit("imitation", state.imitation);
    visit("actor_optimiser", state.actor_optimiser);
    visit("critic_optimiser", state.critic_optimiser);
  }

  mutable TorchState state_;  // libtorch has no const modules
};

Status TorchLearner::Save(const std::string& path, std::string_view notes) const {
  const std::string written = path + ".new";
  try {
    torch::serialize::OutputArchive archive;
    archive.write("format", c10::IValue(std::int64_t{1}));
    archive.write("notes", c10::IValue(std::string(notes)));
    archive.write("ddpg_steps", c10::IValue(state_.ddpg_steps));
    VisitParts(state_, [&](const char* name, auto& part) {
      torch::serialize::OutputArchive inner;
      part.save(inner);
      archive.write(name, inner);
    });
    archive.save_to(written);
  } catch (const std::exception& thrown) {  // its text is a page
    return Fail("{}: libtorch can't write it", written);
  }
  return Publish(written, path);
}

Result<std::string> TorchLearner::Load(const std::string& path) {
  try {
    torch::serialize::InputArchive archive;
    archive.load_from(path, state_.device);
    c10::IValue value;
    archive.read("format", value);
    if (value.toInt() != 1) return Fail("{}: a checkpoint of another version", path);
    archive.read("ddpg_steps", value);
    state_.ddpg_steps = value.toInt();
    VisitParts(state_, [&](const char* name, auto& part) {
      torch::serialize::InputArchive inner;
      archive.read(name, inner);
      part.load(inner);
    });
    archive.read("notes", value);
    return value.toStringRef();
  } catch (const std::exception& thrown) {
    return Fail("{}: no checkpoint of this learner (of another shape, or not whole)", path);
  }
}

}  // namespace

TorchState::TorchState(const ActorShape& of, const LearnerOptions& with, torch::Device on)
    : shape(of),
      options(with),
      device(on),
      actor(of),
      target_actor(of),
      critic(of),
      target_critic(of),
      imitation((actor->to(on), actor->parameters()),
                torch::optim::AdamOptions(with.imitation.learning_rate)),
      actor_optimiser(actor->parameters(),
                      torch::optim::AdamOptions(with.ddpg.actor_learning_rate)),
      critic_optimiser((critic->to(on), critic->parameters()),
                       torch::optim::AdamOptions(with.ddpg.critic_learning_rate)) {
  target_actor->to(on);
  target_critic->to(on);
  CopyParameters(*actor, *target_actor);
  CopyParameters(*critic, *target_critic);
}

std::unique_ptr<ActorLearner> MakeActorLearner(const ActorShape& shape,
                                               const LearnerOptions& options, int threads) {
  torch::set_num_threads(threads);
  torch::manual_seed(options.seed);
  const bool cuda = options.gpu && torch::cuda::is_available();
  return std::make_unique<TorchLearner>(shape, options, cuda ? torch::kCUDA : torch::kCPU);
}

}  // namespace fairlead
