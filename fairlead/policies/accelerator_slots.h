// What one decision knows of the accelerators and has promised them.
//
// Begin looks at the accelerators; Book gives a segment to one of them and counts what that means
// for the rest of the decision. Event-driven, only idle accelerators can be given something. With a
// decision period, or when the policy wants to commit ahead, one that is believed to be free soon
// enough can be given something behind what it runs. A segment is counted with all units of its
// accelerator; for policies that divide units, an accelerator that has several is always usable,
// and is believed to work off what it has with all of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "fairlead/scheduling/plan.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

struct PlacementChoice {
  enum class Action : std::uint32_t { kStart, kEnqueue, kWait } action = Action::kWait;
  AcceleratorId accelerator{};
};

struct AcceleratorSlot {
  AcceleratorId id;
  KindId kind;
  Instant available{};  // when what it has, and what this decision queued on it, is believed done
  bool idle = false;
  bool usable = false;   // online, and free early enough to be given something at this decision
  bool divided = false;  // has several units, which the policy divides
};

struct SlotFinish {
  AcceleratorSlot* slot = nullptr;  // null: the segment can run nowhere
  Instant finish = kNever;
};

class AcceleratorSlots {
 public:
  // Beliefs about the future end here, so that sums of them do not overflow.
  static constexpr Instant kFarthest{kLongestDuration};

  // Which slots the index by kind holds.
  enum class Index : std::uint8_t { kNone, kUsable, kOnline };

  enum class Units : std::uint8_t { kWhole, kDivided };

  // Where a segment may be given something at a decision: on any kind that can run it, or only on
  // those where it is fastest of all that are there.
  enum class Reach : std::uint8_t { kAnyKind, kFastestKind };

  explicit AcceleratorSlots(Index index = Index::kNone, Units units = Units::kWhole,
                            Reach reach = Reach::kAnyKind)
      : index_(index), units_(units), reach_(reach) {}

  // How co-runners are counted: as latencies do, or for those that are idle as what runs now.
  enum class Beside : std::uint8_t { kUsual, kNow };
  void set_beside(Beside beside) { beside_ = beside; }

  // A new decision. What is believed to be free within `ahead`, or before the next decision if
  // decisions have a period, can be given something. O(accelerators).
  void Begin(const SystemView& view, Duration ahead = {});

  // No accelerator can take anything more at this decision, but for such as nothing ready can use.
  bool Exhausted() const { return wanted_ == 0; }
  // No accelerator can take anything more, whatever it is.
  bool NoneUsable() const { return usable_ == 0; }
  // Some usable accelerator is in reach of segments of this affinity. O(kinds).
  bool InReach(const SystemView& view, std::size_t affinity) const;
  std::span<AcceleratorSlot> slots() { return slots_; }
  // Per kind: the indexed slot that is free first, ties to the lowest id; null where there is none.
  // Accelerators of one kind share their latencies, so only these need to be looked at, and those
  // where the segment's job is.
  AcceleratorSlot* FirstOfKind(KindId kind) {
    const Row& row = rows_[kind.index()];
    return row.free_at == kNever ? nullptr : &slots_[row.first];
  }
  // What beginning a segment of a job there costs beside its latency: to take over, if others are
  // before it, and to move. O(predecessors), or nothing where places do not matter.
  Duration HandOver(const SystemView& view, const AcceleratorSlot& slot, JobId job,
                    SegmentId segment) const {
    return places_matter_ ? HandOverThere(view, slot, job, segment) : Duration::zero();
  }
  // Calls `visit(slot, latency, hand_over)` for each slot that could be the best for a segment with
  // all units, however time is weighed: the first of each kind, and those where its job is. These
  // may come twice. O(kinds and predecessors).
  template <typename Visit>
  void ForEachCandidate(const SystemView& view, JobId job, SegmentId segment, const Visit& visit) {
    const NetworkId network = view.job(job).network;
    const auto latencies = view.costs().LatenciesAlone(network, segment);
    const auto consider = [&](AcceleratorSlot& slot) {
      const Duration latency = latencies[slot.kind.index()];
      if (latency != CostTable::kCannotRun)
        visit(slot, latency, HandOver(view, slot, job, segment));
    };
    for (std::size_t kind = 0; kind < latencies.size(); ++kind) {
      if (AcceleratorSlot* const slot = FirstOfKind(KindId{kind})) consider(*slot);
    }
    if (!places_matter_) return;
    for (SegmentId predecessor : view.networks()[network.index()].Predecessors(segment)) {
      AcceleratorSlot& slot = slots_[view.PlaceOf(job, predecessor).index()];
      if (IndexedAt(slot) != kNever) consider(slot);
    }
  }
  // Of the indexed slots the one where a segment of a job with all units is believed to finish
  // first, wherever the job is; ties to the lowest id. O(kinds and predecessors).
  SlotFinish EarliestFinish(const SystemView& view, JobId job, NetworkId network,
                            SegmentId segment) {
    if (beside_now_) return EarliestFinishBesideNow(view, job, network, segment);
    if (places_matter_) return EarliestFinishByPlace(view, job, segment);
    const auto latencies = view.costs().LatenciesAlone(network, segment);
    Instant earliest = kNever;
    std::uint32_t first = 0;
    for (std::size_t kind = 0; kind < latencies.size(); ++kind) {
      const Row& row = rows_[kind];
      if (row.free_at == kNever || latencies[kind] == CostTable::kCannotRun) continue;
      const Instant finish = row.free_at + latencies[kind];
      if (finish > earliest || (finish == earliest && first < row.first)) continue;
      earliest = finish;
      first = row.first;
    }
    return earliest == kNever ? SlotFinish{} : SlotFinish{&slots_[first], earliest};
  }

  // Queues a segment on the slot and says what that means. O(accelerators of the kind) for few of
  // them and at the first of a decision, then O(log of them).
  PlacementChoice Book(AcceleratorSlot& slot, Duration latency) {
    slot.available = std::min(slot.available + latency, kFarthest);
    if (slot.usable) return Give(slot);
    Reindex(slot);
    return {.accelerator = slot.id};
  }

 private:
  void Prepare(const SystemView& view);
  Duration HandOverThere(const SystemView& view, const AcceleratorSlot& slot, JobId job,
                         SegmentId segment) const;
  SlotFinish EarliestFinishByPlace(const SystemView& view, JobId job, SegmentId segment);
  SlotFinish EarliestFinishBesideNow(const SystemView& view, JobId job, NetworkId network,
                                     SegmentId segment);
  // When the index counts a slot as free: kNever keeps it out.
  Instant IndexedAt(const AcceleratorSlot& slot) const {
    return index_ == Index::kOnline || slot.usable ? slot.available : kNever;
  }
  void CountWanted(const SystemView& view);
  bool Wanted(const SystemView& view, KindId kind) const;
  bool Reaches(std::span<const RankedKind> kinds, KindId kind) const;
  // Books a segment on a usable slot whose `available` counts it already.
  PlacementChoice Give(AcceleratorSlot& slot);
  void Reindex(const AcceleratorSlot& slot) {
    if (index_ == Index::kNone) return;
    const std::uint32_t place = place_of_[slot.id.index()];
    free_at_[place] = IndexedAt(slot);
    Row& row = rows_[slot.kind.index()];
    if (row.end - row.begin > kMostToScan) return PlayAgain(row, place);
    if (row.first == slot.id.index()) FindFirst(row);
  }
  struct Row;
  // In a long row the first is the winner of a knock-out tournament: one that has changed plays
  // again against those on its way to the final.
  void PlayAgain(Row& row, std::uint32_t place);
  void PlayAll(Row& row);
  std::uint32_t Winner(std::uint32_t a, std::uint32_t b) const;  // places, or kNobody
  void FindFirst(Row& row) {
    const Instant* const free_at = free_at_.data();
    Instant earliest = kNever;
    std::uint32_t first = row.begin;
    // A wrong guess at this branch costs less than waiting for what was just stored.
    for (std::uint32_t place = row.begin; place != row.end; ++place) {
      if (free_at[place] >= earliest) continue;
      earliest = free_at[place];
      first = place;
    }
    row.free_at = earliest;
    if (row.begin != row.end) row.first = slot_at_[first];
  }

  // Of one kind, at this point of the decision.
  struct KindState {
    int usable = 0;
    bool online = false;
  };

  Index index_;
  Units units_;
  Reach reach_;
  Instant horizon_{};  // what is free earlier can be given something
  bool places_matter_ = false;
  Beside beside_ = Beside::kUsual;
  bool beside_now_ = false;  // and something is believed of that
  std::vector<AcceleratorSlot> slots_;
  std::vector<KindState> kinds_;
  int usable_ = 0;
  int wanted_ = 0;  // usable, and of a kind that something ready can use
  // The index: slots stand in rows, one for each kind, in ascending order of their ids, so that
  // looking for the first of a kind reads nothing but instants.
  struct Row {
    Instant free_at = kNever;  // of its first
    std::uint32_t first = 0;   // slot
    std::uint32_t begin = 0;   // places
    std::uint32_t end = 0;
    std::uint32_t matches = 0;  // where its tournament begins: the final is the one behind that
    std::uint32_t leaves = 0;   // of it: a power of two
    bool played = false;        // at this decision
  };
  static constexpr std::uint32_t kMostToScan = 32;  // looking at all of so few is faster
  static constexpr std::uint32_t kNobody = UINT32_MAX;
  std::vector<Row> rows_;                // per kind
  std::vector<std::uint32_t> place_of_;  // per slot
  std::vector<std::uint32_t> slot_at_;   // per place
  std::vector<Instant> free_at_;         // per place
  std::vector<std::uint32_t> winners_;   // of the matches of all long rows: places
};

// Adds what was chosen to the plan; a choice to wait adds nothing.
inline void AddToPlan(const PlacementChoice& choice, JobId job, SegmentId segment,
                      SchedulingPlan& plan, StartOptions options = {}) {
  if (choice.action == PlacementChoice::Action::kStart)
    plan.Start(choice.accelerator, job, segment, options);
  if (choice.action == PlacementChoice::Action::kEnqueue)
    plan.Enqueue(choice.accelerator, job, segment, options);
}

}  // namespace fairlead
