#include "fairlead/sharing/agent_queues.h"

#include <algorithm>
#include <cmath>

namespace fairlead {

AgentQueues::AgentQueues(int queues, int deadline)
    : deadline_(deadline), queues_(static_cast<std::size_t>(queues)) {}

void AgentQueues::Expire(int round) {
  if (deadline_ == 0) return;
  for (Queue& queue : queues_) {
    for (; queue.head < queue.batches.size(); ++queue.head) {
      const Batch& batch = queue.batches[queue.head];
      if (batch.round + deadline_ > round) break;
      const std::int64_t left = batch.inferences * kInference - queue.begun;
      queue.waiting -= left;
      backlog_ -= left;
      served_ -= queue.begun;
      dropped_ += batch.inferences;
      queue.begun = 0;
    }
  }
}

int AgentQueues::Arrive(int round, int first, int second) {
  Queue& one = queues_[static_cast<std::size_t>(first)];
  Queue& other = queues_[static_cast<std::size_t>(second)];
  const bool shorter = other.waiting < one.waiting;
  Queue& queue = shorter ? other : one;
  queue.waiting += kInference;
  backlog_ += kInference;
  if (deadline_ == 0) return shorter ? second : first;
  if (queue.head < queue.batches.size() && queue.batches.back().round == round)
    ++queue.batches.back().inferences;
  else
    queue.batches.push_back({round, 1});
  return shorter ? second : first;
}

std::int64_t AgentQueues::Serve(int index, std::int64_t capacity) {
  Queue& queue = queues_[static_cast<std::size_t>(index)];
  const std::int64_t work = std::min(capacity, queue.waiting);
  queue.waiting -= work;
  backlog_ -= work;
  served_ += work;
  if (deadline_ == 0) return work;
  std::int64_t done = (queue.begun + work) / kInference;
  queue.begun = (queue.begun + work) % kInference;
  while (done > 0) {
    Batch& batch = queue.batches[queue.head];
    const std::int64_t here = std::min(done, batch.inferences);
    batch.inferences -= here;
    done -= here;
    if (batch.inferences == 0) ++queue.head;
  }
  return work;
}

double AgentQueues::AtStake(int index, std::int64_t capacity, int round, double again) const {
  const Queue& queue = queues_[static_cast<std::size_t>(index)];
  std::int64_t left = std::min(capacity, queue.waiting);
  if (deadline_ == 0) return static_cast<double>(left);
  double lost = 0;
  std::int64_t begun = queue.begun;
  for (std::size_t b = queue.head; left > 0 && b < queue.batches.size(); ++b) {
    const Batch& batch = queue.batches[b];
    const std::int64_t work = std::min(left, batch.inferences * kInference - begun);
    lost += static_cast<double>(work) * std::pow(again, batch.round + deadline_ - 1 - round);
    left -= work;
    begun = 0;
  }
  return lost;
}

}  // namespace fairlead
