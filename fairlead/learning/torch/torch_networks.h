// Actor and critic as libtorch has them, and batches of decisions as tensors: what the files of
// this room share. Compiling a file that includes this takes 15 s.
#pragma once

#include <torch/torch.h>

#include <span>
#include <vector>

#include "fairlead/learning/torch/experience.h"
#include "fairlead/learning/torch/training_options.h"

namespace fairlead {

// Decisions padded to the longest of them.
struct TorchBatch {
  torch::Tensor features;  // decisions x rows x features
  torch::Tensor mask;      // decisions x rows: 1 where there is a row
  torch::Tensor last;      // decisions: the last row
};

TorchBatch PackFeatures(std::span<const ExperiencedDecision* const> decisions, int features,
                        torch::Device device);
// decisions x rows x outputs, zero where there is no row.
torch::Tensor PackActions(std::span<const ExperiencedDecision* const> decisions, int outputs,
                          torch::Device device);

struct TorchActorImpl : torch::nn::Module {
  explicit TorchActorImpl(const ActorShape& shape);
  // Before the last tanh.
  torch::Tensor Raw(const torch::Tensor& features);
  torch::Tensor forward(const torch::Tensor& features) { return torch::tanh(Raw(features)); }

  torch::nn::GRU gru{nullptr};
  torch::nn::Linear head{nullptr};
};
TORCH_MODULE(TorchActor);

// What a decision is worth, from its rows and actions: the mean over rows of the recurrent layer's
// state and its last one, through a hidden layer.
struct TorchCriticImpl : torch::nn::Module {
  explicit TorchCriticImpl(const ActorShape& shape);
  torch::Tensor forward(const TorchBatch& batch, const torch::Tensor& actions);

  torch::nn::GRU gru{nullptr};
  torch::nn::Linear hidden{nullptr};
  torch::nn::Linear value{nullptr};
};
TORCH_MODULE(TorchCritic);

struct TorchState {
  TorchState(const ActorShape& of, const LearnerOptions& with, torch::Device on);

  ActorShape shape;
  LearnerOptions options;
  torch::Device device;
  TorchActor actor;
  TorchActor target_actor;
  TorchCritic critic;
  TorchCritic target_critic;
  torch::optim::Adam imitation;
  torch::optim::Adam actor_optimiser;
  torch::optim::Adam critic_optimiser;
  std::int64_t ddpg_steps = 0;
};

// imitation.cc: what a teacher's choices cost under the actor's raw outputs.
torch::Tensor ImitationLoss(const torch::Tensor& raw,
                            std::span<const ExperiencedDecision* const> decisions);
double ImitationStep(TorchState& state, std::span<const ExperiencedDecision* const> decisions,
                     double progress);

struct DdpgFigures;
// ddpg.cc
DdpgFigures DdpgStep(TorchState& state, std::span<const Transition> transitions);

}  // namespace fairlead
