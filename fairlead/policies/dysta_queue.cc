#include "fairlead/policies/dysta_queue.h"

#include <algorithm>
#include <span>
#include <utility>

#include "fairlead/scheduling/system_view.h"

namespace fairlead {

void DystaQueue::Observe(const SystemView& view, const Event& event) {
  rule_.Observe(view, event);
  if (event.kind == EventKind::kJobFinished) return Leave(view, event.job);
  if (event.kind != EventKind::kSegmentFinished) return;
  for (JobId id : view.assignment(event.assignment).jobs) {
    if (id.index() < first_of_.size() && first_of_[id.index()] != kNowhere) moved_.push_back(id);
  }
}

void DystaQueue::Take(const SystemView& view) {
  if (costs_version_ != view.costs_version()) {
    costs_version_ = view.costs_version();
    for (Tree& tree : trees_) tree.Clear();
    std::ranges::fill(first_of_, kNowhere);
    for (const ReadySegment& ready : view.ready()) Push(view, ready.job, ready.segment);
  } else {
    VisitNewlyReady(view, [&](const ReadySegment& ready, const Job& /*job*/) {
      Push(view, ready.job, ready.segment);
    });
    for (JobId id : moved_) Refresh(view, id);
  }
  moved_.clear();
}

DystaQueue::Tree& DystaQueue::TreeOf(const Job& job) {
  const std::size_t number = 2 * job.network.index() + (job.covered ? 0 : 1);
  if (trees_.size() <= number) trees_.resize(number + 1);
  return trees_[number];
}

void DystaQueue::Push(const SystemView& view, JobId id, SegmentId segment) {
  const Job& job = view.job(id);
  Tree& tree = TreeOf(job);
  if (tree.IsFull()) MakeRoom(tree);
  if (first_of_.size() <= id.index()) first_of_.resize(id.index() + 1, kNowhere);
  std::uint32_t& first = first_of_[id.index()];
  first = tree.Push({job.serial, id, segment, first}, DystaRule::BoundsOf(job));
}

void DystaQueue::MakeRoom(Tree& tree) {
  tree.MakeRoom();
  tree.VisitItems([&](Waiter& waiter, std::uint32_t) { first_of_[waiter.job.index()] = kNowhere; });
  tree.VisitItems([&](Waiter& waiter, std::uint32_t place) {
    waiter.next = std::exchange(first_of_[waiter.job.index()], place);
  });
}

void DystaQueue::Refresh(const SystemView& view, JobId id) {
  if (first_of_[id.index()] == kNowhere) return;
  const Job& job = view.job(id);
  Tree& tree = TreeOf(job);
  const DystaBounds bounds = DystaRule::BoundsOf(job);
  for (std::uint32_t at = first_of_[id.index()]; at != kNowhere; at = tree.At(at).next)
    tree.Set(at, bounds);
}

void DystaQueue::Leave(const SystemView& view, JobId id) {
  if (id.index() >= first_of_.size()) return;
  Tree& tree = TreeOf(view.job(id));
  std::uint32_t& first = first_of_[id.index()];
  for (; first != kNowhere; first = tree.At(first).next) tree.Remove(first);
}

// Whoever is left of the job does not wait while this one runs.
void DystaQueue::Taken(const SystemView& view, JobId id, SegmentId segment) {
  const Job& job = view.job(id);
  Tree& tree = TreeOf(job);
  DystaBounds bounds = DystaRule::BoundsOf(job);
  bounds.progress = DystaBounds::kNone;
  for (std::uint32_t* link = &first_of_[id.index()]; *link != kNowhere;) {
    const std::uint32_t at = *link;
    if (tree.At(at).segment == segment) {
      *link = tree.At(at).next;
      tree.Remove(at);
    } else {
      tree.Set(at, bounds);
      link = &tree.At(at).next;
    }
  }
}

void DystaQueue::Open(const SystemView& view) {
  order_.Begin();
  for (std::uint32_t tree = 0; tree < trees_.size(); ++tree) {
    if (trees_[tree].size() > 0) AddOffer(view, tree, trees_[tree].Root());
  }
}

void DystaQueue::AddOffer(const SystemView& view, std::uint32_t tree, Tree::Node part) {
  const DystaBounds& bounds = trees_[tree].BoundsOf(part);
  if (bounds == DystaBounds{}) return;
  const NetworkId network{static_cast<std::size_t>(tree / 2)};
  const double best = rule_.Best(view, network, bounds);
  order_.Add({{.covered = tree % 2 == 0, .score = best}, tree, part});
}

void DystaQueue::LookInto(const SystemView& view, const EarlyDrop& early_drop, const Offer& offer) {
  trees_[offer.tree].VisitParts(offer.part, [&](Tree::Node part) {
    if (part.level > 0) {
      AddOffer(view, offer.tree, part);
    } else {
      Score(view, early_drop, offer.tree, part.index);
    }
  });
}

void DystaQueue::Score(const SystemView& view, const EarlyDrop& early_drop, std::uint32_t tree,
                       std::uint32_t place) {
  if (trees_[tree].BoundsOf({0, place}) == DystaBounds{}) return;
  const Waiter& waiter = trees_[tree].At(place);
  if (early_drop.GivenUp(waiter.job, waiter.serial)) return;
  ScoredSegment scored{.serial = waiter.serial,
                       .job = waiter.job,
                       .segment = waiter.segment,
                       .covered = tree % 2 == 0};
  rule_.Score(view, std::span(&scored, 1));
  order_.Add(scored);
}

}  // namespace fairlead
