#include "fairlead/policies/observed_pace.h"

#include <algorithm>

namespace fairlead {

void ObservedPace::Begin(const SystemView& view) {
  const double elapsed = static_cast<double>(Nanoseconds(view.now() - last_));
  if (backlog_) time_ += elapsed;
  last_ = view.now();
  const auto online = static_cast<std::size_t>(
      std::ranges::count_if(view.accelerators(), [](const auto& state) { return state.online; }));
  expected_ = static_cast<double>(std::max<std::size_t>(online, 1));
  backlog_ = view.ready().size() > 2 * online;
}

void ObservedPace::Observe(const SystemView& view, const Event& event) {
  if (event.kind == EventKind::kAcceleratorJoined || event.kind == EventKind::kAcceleratorLeft) {
    work_ = time_ = 0;
    finished_ = 0;
  }
  if (event.kind != EventKind::kSegmentFinished) return;
  const Assignment& done = view.assignment(event.assignment);
  const double believed =
      static_cast<double>(Nanoseconds(view.costs().Fastest(done.network, done.segment))) *
      done.batch();
  const double took = static_cast<double>(Nanoseconds(view.now() - done.start));
  if (networks_.size() <= done.network.index()) networks_.resize(done.network.index() + 1);
  Network& network = networks_[done.network.index()];
  network.took += took - kForgetting * network.took;
  network.believed += believed - kForgetting * network.believed;
  ++network.finished;
  if (!backlog_) return;
  work_ += believed - kForgetting * work_;
  time_ -= kForgetting * time_;
  ++finished_;
}

}  // namespace fairlead
