#include "fairlead/policies/placement.h"

#include <algorithm>
#include <array>

#include "fairlead/base/units.h"

namespace fairlead {
namespace {

constexpr std::array<std::string_view, 5> kRuleNames = {"earliest-finish", "fastest",
                                                        "least-loaded", "round-robin", "random"};

// Beliefs about the future end here, so that sums of them do not overflow.
constexpr Instant kFarthest{kLongestDuration};

// What one decision knows and has promised about one accelerator.
struct Slot {
  AcceleratorId id;
  KindId kind;
  Instant available{};  // when what it has, and what this decision queued on it, is believed done
  bool idle = false;
  bool usable = false;  // online, and free early enough to be given something at this decision
};

class SlotPlacement : public Placement {
 public:
  explicit SlotPlacement(Waiting waiting) : waiting_(waiting) {}

  void Begin(const SystemView& view) override {
    const auto accelerators = view.accelerators();
    slots_.resize(accelerators.size());
    usable_ = 0;
    for (std::size_t i = 0; i < accelerators.size(); ++i) {
      const AcceleratorState& state = accelerators[i];
      Slot& slot = slots_[i];
      slot.id = AcceleratorId{i};
      slot.kind = state.kind;
      slot.idle = state.online && state.free_units == state.units && state.queue.empty();
      // Whatever is busy is not free this very instant, even when it is overdue.
      slot.available = slot.idle
                           ? view.now()
                           : std::clamp(state.believed_free, view.now() + Duration{1}, kFarthest);
      if (!state.online) slot.available = kNever;
      slot.usable = slot.idle || (state.online && slot.available < view.next_epoch() &&
                                  view.period() > Duration::zero());
      if (slot.usable) ++usable_;
    }
  }

  bool Exhausted() const override { return usable_ == 0; }

 protected:
  // Books the segment on the slot and says what that means.
  PlacementChoice Book(const SystemView& view, Slot& slot, Duration latency) {
    PlacementChoice choice{.accelerator = slot.id};
    if (slot.usable) {
      choice.action =
          slot.idle ? PlacementChoice::Action::kStart : PlacementChoice::Action::kEnqueue;
    }
    slot.available = std::min(slot.available + latency, kFarthest);
    if (slot.usable) {
      slot.idle = false;
      // With a period, more may be enqueued behind it if that starts before the next decision.
      slot.usable = view.period() > Duration::zero() && slot.available < view.next_epoch();
      if (!slot.usable) --usable_;
    }
    return choice;
  }
  bool Considered(const Slot& slot) const {
    return slot.available != kNever && (waiting_ == Waiting::kAllowed || slot.usable);
  }

  Waiting waiting_;
  std::vector<Slot> slots_;
  int usable_ = 0;
};

// Accelerators of one kind share their latencies, so only the first free one of each kind needs to
// be looked at: O(kinds) for a segment, plus O(accelerators of the kind) to find the next.
class EarliestFinish final : public SlotPlacement {
 public:
  using SlotPlacement::SlotPlacement;

  void Begin(const SystemView& view) override {
    SlotPlacement::Begin(view);
    if (Exhausted()) return;
    if (by_kind_.empty()) {
      by_kind_.resize(view.costs().kinds());
      first_.resize(by_kind_.size());
      for (const Slot& slot : slots_) by_kind_[slot.kind.index()].push_back(slot.id);
    }
    for (std::size_t kind = 0; kind < by_kind_.size(); ++kind) FindFirst(kind);
  }

  PlacementChoice Place(const SystemView& view, NetworkId network, SegmentId segment) override {
    Slot* best = nullptr;
    Instant best_finish = kNever;
    Duration best_latency{};
    for (Slot* slot : first_) {
      if (slot == nullptr) continue;
      const SegmentCost* cost = view.costs().Alone(network, segment, slot->kind);
      if (cost == nullptr) continue;
      const Instant finish = slot->available + cost->latency;
      if (finish < best_finish ||
          (finish == best_finish && best != nullptr && slot->id < best->id)) {
        best = slot;
        best_finish = finish;
        best_latency = cost->latency;
      }
    }
    if (best == nullptr) return {};
    const PlacementChoice choice = Book(view, *best, best_latency);
    FindFirst(best->kind.index());
    return choice;
  }

 private:
  void FindFirst(std::size_t kind) {
    Slot* first = nullptr;
    for (AcceleratorId id : by_kind_[kind]) {
      Slot& slot = slots_[id.index()];
      if (Considered(slot) && (first == nullptr || slot.available < first->available))
        first = &slot;
    }
    first_[kind] = first;
  }

  std::vector<std::vector<AcceleratorId>> by_kind_;  // ascending; does not change
  std::vector<Slot*> first_;  // per kind: the slot that is free first, ties to the lowest id
};

// One slot chosen by the smallest value of a key; ties to the lowest id.
template <typename KeyOf>
class SmallestKey final : public SlotPlacement {
 public:
  using SlotPlacement::SlotPlacement;
  PlacementChoice Place(const SystemView& view, NetworkId network, SegmentId segment) override {
    Slot* best = nullptr;
    auto best_key = KeyOf::Worst();
    Duration best_latency{};
    for (Slot& slot : slots_) {
      const SegmentCost* cost = view.costs().Alone(network, segment, slot.kind);
      if (cost == nullptr || !Considered(slot)) continue;
      const auto key = KeyOf::Of(slot, *cost);
      if (best == nullptr || key < best_key) {
        best = &slot;
        best_key = key;
        best_latency = cost->latency;
      }
    }
    return best == nullptr ? PlacementChoice{} : Book(view, *best, best_latency);
  }
};

// Among accelerators where it is equally fast, the one that is free first.
struct LatencyThenLoad {
  struct Key {
    Duration latency;
    Instant available;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  static Key Worst() { return {}; }
  static Key Of(const Slot& slot, const SegmentCost& cost) {
    return {cost.latency, slot.available};
  }
};

struct Load {
  static Instant Worst() { return kNever; }
  static Instant Of(const Slot& slot, const SegmentCost&) { return slot.available; }
};

class Circle final : public SlotPlacement {
 public:
  using SlotPlacement::SlotPlacement;
  PlacementChoice Place(const SystemView& view, NetworkId network, SegmentId segment) override {
    for (std::size_t step = 0; step < slots_.size(); ++step) {
      Slot& slot = slots_[(next_ + step) % slots_.size()];
      const SegmentCost* cost = view.costs().Alone(network, segment, slot.kind);
      if (cost == nullptr || !slot.usable) continue;
      next_ = (slot.id.index() + 1) % slots_.size();
      return Book(view, slot, cost->latency);
    }
    return {};
  }

 private:
  std::size_t next_ = 0;
};

class AnyIdle final : public SlotPlacement {
 public:
  AnyIdle(Waiting waiting, RandomStream random) : SlotPlacement(waiting), random_(random) {}
  PlacementChoice Place(const SystemView& view, NetworkId network, SegmentId segment) override {
    candidates_.clear();
    for (Slot& slot : slots_) {
      if (slot.usable && view.costs().Alone(network, segment, slot.kind) != nullptr)
        candidates_.push_back(&slot);
    }
    if (candidates_.empty()) return {};
    Slot& slot = *candidates_[random_.Below(candidates_.size())];
    return Book(view, slot, view.costs().Alone(network, segment, slot.kind)->latency);
  }

 private:
  RandomStream random_;
  std::vector<Slot*> candidates_;  // scratch
};

}  // namespace

std::string_view ToString(PlacementRule rule) { return kRuleNames[static_cast<std::size_t>(rule)]; }

Result<PlacementRule> ParsePlacementRule(std::string_view text) {
  const auto found = std::ranges::find(kRuleNames, text);
  if (found == kRuleNames.end())
    return Fail("unknown placement '{}'{}", text, Suggest(text, kRuleNames));
  return static_cast<PlacementRule>(found - kRuleNames.begin());
}

std::unique_ptr<Placement> MakePlacement(const PlacementOptions& options, RandomStream random) {
  switch (options.rule) {
    case PlacementRule::kEarliestFinish: return std::make_unique<EarliestFinish>(options.waiting);
    case PlacementRule::kFastest:
      return std::make_unique<SmallestKey<LatencyThenLoad>>(options.waiting);
    case PlacementRule::kLeastLoaded: return std::make_unique<SmallestKey<Load>>(options.waiting);
    case PlacementRule::kRoundRobin: return std::make_unique<Circle>(options.waiting);
    case PlacementRule::kRandom: return std::make_unique<AnyIdle>(options.waiting, random);
  }
  return nullptr;
}

}  // namespace fairlead
