// Everything about learning that the paper leaves open, with a sentence on each: what
// `fairlead-train
// --set NAME=VALUE` sets and the search over hyper-parameters varies.
#pragma once

#include <cstdint>

namespace fairlead {

// How big the networks are, and what they see and say for each row of a decision.
struct ActorShape {
  int features = 0;  // of a row
  int outputs = 0;   // of a row: a priority, and a score for each kind of accelerator
  int hidden = 192;  // units of the recurrent layer; the paper's
};

struct ImitationOptions {
  // The step of Adam at the beginning; it falls to a fiftieth by the cosine rule.
  double learning_rate = 1e-3;
  // Decisions in one step of the optimiser.
  int batch = 256;
  // What large priorities cost: without it they grow until tanh makes them equal. Not where a
  // teacher says how large they should be.
  double priority_penalty = 2e-3;
  // What scores of kinds cost: 0 is the placement of the list policies, which a teacher has too.
  double score_penalty = 1e-2;
};

struct DdpgOptions {
  double actor_learning_rate = 1e-4;
  double critic_learning_rate = 1e-3;
  // Decisions in one step of the optimisers.
  int batch = 256;
  // The part of the way to the learned networks that the target networks go with each step.
  double polyak = 0.005;
  // Rewards are added up over so many seconds before the critic is asked for the rest: what a
  // decision is good for shows hundreds of decisions later.
  double lookahead = 0.02;
  // Rewards are multiplied by this, so that values are of the order of 1.
  double reward_scale = 0.05;
  // The weight of the loss of imitation beside the actor's own, where decisions have labels: 0
  // after none.
  double anchor = 0.0;
  // Steps in which only the critic learns, before the actor follows it.
  int critic_first = 500;
  // Beyond this the gradient of one step is shortened.
  double gradient_norm = 1.0;
};

// Noise on actions while transitions are collected: it is correlated in time (Ornstein and
// Uhlenbeck's process, seen at the instants of decisions), row by row.
struct ExplorationOptions {
  double deviation = 0.2;  // in the long run; outputs lie in [-1, 1]
  double memory = 2e-3;    // seconds after which noise has forgotten all but exp(-1) of itself
};

struct LearnerOptions {
  std::uint64_t seed = 1;
  ImitationOptions imitation;
  DdpgOptions ddpg;
  bool gpu = true;  // where there is one
};

}  // namespace fairlead
