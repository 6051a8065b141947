#include "fairlead/learning/decision_frame.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "fairlead/base/check.h"

namespace fairlead {
namespace {

constexpr float kReach = 3;  // of a score: 1 divides a finish time by 1 + kReach

// Whoever answers without a number is heard last.
float Known(float number) { return std::isnan(number) ? -1 : number; }

// A factor of a time, from 1/4 to 4, the smaller the larger the score.
double FactorOf(float score) {
  const double reach = static_cast<double>(kReach) * static_cast<double>(score);
  return score >= 0 ? 1 / (1 + reach) : 1 - reach;
}

float ScoreOf(const RankedKinds& kinds, KindId kind, std::span<const float> scores) {
  for (std::size_t k = 0; k < kMostKinds && kinds[k].valid(); ++k) {
    if (kinds[k] == kind) return std::clamp(Known(scores[k]), -1.0F, 1.0F);
  }
  return -1;
}

bool NothingRuns(const SystemView& view) {
  return std::ranges::all_of(view.accelerators(), [](const AcceleratorState& accelerator) {
    return accelerator.running.empty() && accelerator.queue.empty() &&
           accelerator.free_units == accelerator.units;
  });
}

}  // namespace

DecisionDecoder::DecisionDecoder(const DecoderOptions& options)
    : options_(options),
      slots_(AcceleratorSlots::Index::kOnline),
      memory_(options.memory, options.throttle, options.beyond) {}

void DecisionDecoder::Begin(const SystemView& view) {
  slots_.Begin(view);
  memory_.Begin(view);
  started_.clear();
}

DecisionDecoder::Choice DecisionDecoder::Choose(const SystemView& view,
                                                const DecisionFeatures& features, std::size_t row,
                                                std::span<const float> scores, Among among) {
  const ReadySegment& segment = features.segments[row];
  Choice best;
  double least = std::numeric_limits<double>::infinity();
  slots_.ForEachCandidate(
      view, segment.job, segment.segment,
      [&](AcceleratorSlot& slot, Duration latency, Duration hand_over) {
        if (among == Among::kUsable && !slot.usable) return;
        const Duration taken = latency + hand_over;
        const auto finish = static_cast<double>(Nanoseconds(slot.available - view.now() + taken));
        const double weighed = finish * FactorOf(ScoreOf(features.kinds[row], slot.kind, scores));
        if (weighed > least || (weighed == least && best.slot->id < slot.id)) return;
        least = weighed;
        best = {&slot, taken};
      });
  return best;
}

bool DecisionDecoder::Offer(const SystemView& view, const DecisionFeatures& features,
                            std::size_t row, std::span<const float> scores, Among among,
                            SchedulingPlan& plan) {
  const ReadySegment& segment = features.segments[row];
  const NetworkId network = view.job(segment.job).network;
  const bool exceeds = !features.covered[row];
  if (!memory_.Allows(view, network, segment.segment, exceeds)) return false;
  const Choice choice = Choose(view, features, row, scores, among);
  if (choice.slot == nullptr) return false;
  const KindId kind = choice.slot->kind;
  const PlacementChoice placed = slots_.Book(*choice.slot, choice.taken);
  if (placed.action == PlacementChoice::Action::kWait) return false;
  const std::int64_t cap = memory_.CapOf(view, network, segment.segment, kind, exceeds);
  memory_.Count(view, placed.action, network, segment.segment, kind, cap, exceeds);
  AddToPlan(placed, segment.job, segment.segment, plan, {.bandwidth_cap = cap});
  started_[row] = true;
  return true;
}

void DecisionDecoder::Decode(const SystemView& view, const DecisionFeatures& features,
                             std::span<const float> actions, SchedulingPlan& plan) {
  CHECK(actions.size() == features.size() * kActionsPerRow);
  const auto priority = [&](std::uint32_t row) { return Known(actions[row * kActionsPerRow]); };
  const auto scores = [&](std::uint32_t row) {
    return actions.subspan(row * kActionsPerRow + 1, kMostKinds);
  };
  started_.assign(features.size(), false);
  order_.resize(features.size());
  std::iota(order_.begin(), order_.end(), 0U);
  std::ranges::sort(order_, [&](std::uint32_t a, std::uint32_t b) {
    if (features.covered[a] != features.covered[b]) return static_cast<bool>(features.covered[a]);
    return priority(a) != priority(b) ? priority(a) > priority(b) : a < b;
  });
  bool any = false;
  for (const std::uint32_t row : order_) {
    if (Exhausted()) break;
    if (static_cast<double>(priority(row)) < options_.defer_below) continue;
    any = Offer(view, features, row, scores(row), Among::kAll, plan) || any;
  }
  if (any || !NothingRuns(view)) return;
  for (const std::uint32_t row : order_) {
    if (Offer(view, features, row, scores(row), Among::kUsable, plan)) return;
  }
}

DecisionFrame::DecisionFrame(const FrameOptions& options)
    : encoder_(options.encoder), decoder_(options.decoder), early_drop_(DropRule::kEarly) {
  const auto& [awareness, limit] = options.encoder;
  features_.Reserve(limit, DecisionEncoder::Width(awareness));
  decoder_.Reserve(limit);
}

bool DecisionFrame::Look(const SystemView& view) {
  if (looked_) return asking_;
  looked_ = true;
  asking_ = false;
  given_up_.Clear();
  encoder_.Take(view);
  early_drop_.Begin(view, given_up_);
  decoder_.Begin(view);
  if (decoder_.Exhausted()) return false;
  encoder_.Encode(view, early_drop_, features_);
  return asking_ = features_.size() > 0;
}

void DecisionFrame::Decide(const SystemView& view, std::span<const float> actions,
                           SchedulingPlan& plan) {
  CHECK(looked_);
  looked_ = false;
  for (const PlanEntry& entry : given_up_.entries()) plan.Append(entry, given_up_.JobsOf(entry));
  if (!asking_) return;
  decoder_.Decode(view, features_, actions, plan);
  encoder_.Forget(decoder_.started());
}

}  // namespace fairlead
