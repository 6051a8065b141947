// What a learner learns from: decisions as they were met, what a teacher would have done, and what
// came of them. Plain numbers; simulators on many threads fill these, the learner reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "fairlead/base/random.h"

namespace fairlead {

// One decision. Rows in the encoder's order; `features` is rows x features, `actions` rows x
// outputs, as they were carried out (noise included).
struct ExperiencedDecision {
  std::uint16_t rows = 0;
  std::vector<float> features;
  std::vector<float> actions;
  // Until the next decision of the run:
  float reward = 0;    // discounted to this one
  float discount = 0;  // of what comes after; 0: nothing does
  float elapsed = 0;   // simulated seconds
  // Rows in the order of a teacher, its first choice first; empty where none was asked.
  std::vector<std::uint16_t> teacher;
  // What the raw priority of each row should be, where the teacher says so; else empty.
  std::vector<float> values;
};

// Decisions of one run, one after the other.
struct Trajectory {
  std::vector<ExperiencedDecision> decisions;
};

// Where a decision led: `next` is null where the run ended before.
struct Transition {
  const ExperiencedDecision* decision = nullptr;
  const ExperiencedDecision* next = nullptr;
  float reward = 0;    // discounted to the decision
  float discount = 0;  // of the value of `next`
};

// Trajectories, the oldest of which are forgotten when there are too many decisions. Sampling is
// uniform over decisions. One thread.
class ReplayBuffer {
 public:
  // `lookahead`: seconds, as in DdpgOptions.
  ReplayBuffer(std::size_t most_decisions, double lookahead)
      : most_(most_decisions), lookahead_(lookahead) {}

  void Add(std::shared_ptr<const Trajectory> trajectory);
  std::size_t size() const { return size_; }

  // Valid until the next Add. Precondition: something is there.
  void SampleTransitions(int count, RandomStream& random, std::vector<Transition>& out) const;
  void SampleDecisions(int count, RandomStream& random,
                       std::vector<const ExperiencedDecision*>& out) const;

 private:
  struct Spot {
    const Trajectory* trajectory;
    std::size_t index;
  };
  Spot Draw(RandomStream& random) const;
  Transition From(Spot spot) const;

  std::size_t most_;
  double lookahead_;
  std::size_t size_ = 0;
  std::deque<std::shared_ptr<const Trajectory>> trajectories_;
  std::deque<std::size_t> ends_;  // running sums of their sizes, from any offset
};

}  // namespace fairlead
