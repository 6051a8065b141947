// What one agent has waiting: a queue before each accelerator, or one before all.
//
// Work is counted in millionths of an inference, so that nothing is rounded away: one that outlasts
// a round goes on in the next round in which its agent has the accelerator.
#pragma once

#include <cstdint>
#include <vector>

namespace fairlead {

inline constexpr std::int64_t kInference = 1'000'000;

class AgentQueues {
 public:
  // `deadline`: in how many rounds an inference must be done, its round of arrival among them; 0:
  // no matter when.
  AgentQueues(int queues, int deadline);

  // Gives up what cannot be done in time any more, and the work that went into it.
  void Expire(int round);
  // An inference arrives at the shorter of two queues, at the first of equal ones; which that is.
  int Arrive(int round, int first, int second);
  // Does what is waiting there, `capacity` at most; how much that was.
  std::int64_t Serve(int queue, std::int64_t capacity);

  // What of the next `capacity` of work there would be lost by passing it over in `round`, where
  // each later round that is in time passes it over again with the chance `again`.
  double AtStake(int queue, std::int64_t capacity, int round, double again) const;

  std::int64_t waiting(int queue) const { return queues_[static_cast<std::size_t>(queue)].waiting; }
  std::int64_t backlog() const { return backlog_; }
  std::int64_t served() const { return served_; }    // without what was given up
  std::int64_t dropped() const { return dropped_; }  // inferences

 private:
  struct Batch {
    int round;
    std::int64_t inferences;
  };
  struct Queue {
    std::int64_t waiting = 0;
    std::int64_t begun = 0;  // of the first inference
    std::size_t head = 0;    // the first batch that is not done
    std::vector<Batch> batches;
  };

  int deadline_;
  std::vector<Queue> queues_;
  std::int64_t backlog_ = 0;
  std::int64_t served_ = 0;
  std::int64_t dropped_ = 0;
};

}  // namespace fairlead
