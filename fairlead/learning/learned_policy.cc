#include "fairlead/learning/learned_policy.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace fairlead {

namespace {

class GruActor final : public DecisionActor {
 public:
  GruActor(const GruNetwork& network, ThinkingEnergy energy) : runner_(network), energy_(energy) {}
  void Act(const DecisionFeatures& features, std::span<float> actions) override {
    if (energy_.spent_pj != nullptr)
      *energy_.spent_pj += energy_.row_pj * static_cast<double>(features.size());
    runner_.Run(features.system, features.rows, features.size(), actions);
  }

 private:
  GruRunner runner_;
  ThinkingEnergy energy_;
};

}  // namespace

Result<GruNetwork> ReadDecisionNetwork(Awareness awareness, std::string_view file,
                                       std::string_view text) {
  auto network =
      ParseGru(text, DecisionEncoder::Name(awareness), DecisionEncoder::Version(awareness));
  if (!network.has_value()) return Fail("{}: {}", file, network.error().message);
  const std::size_t inputs = kSystemFeatures + DecisionEncoder::Width(awareness);
  if (network->inputs != static_cast<int>(inputs) ||
      network->outputs != static_cast<int>(kActionsPerRow))
    return Fail("{}: a network of {} inputs and {} outputs, where {} and {} were expected", file,
                network->inputs, network->outputs, inputs, kActionsPerRow);
  return network;
}

FrameOptions FrameOfLearners(Awareness awareness) {
  constexpr double kNeverWaits = -1;  // below no answer
  return {.encoder = {.awareness = awareness},
          .decoder = {.defer_below = kNeverWaits,
                      .throttle = MemoryLimit::kUsualShares,
                      .beyond = MemoryLimit::Beyond::kLight}};
}

std::unique_ptr<SchedulingPolicy> MakeGruPolicy(std::string name, const GruPolicyOptions& options,
                                                const GruNetwork& network) {
  std::unique_ptr<DecisionActor> actor = std::make_unique<GruActor>(network, options.energy);
  if (options.refresh > Duration::zero())
    actor = RememberAnswers(std::move(actor), options.refresh, options.frame.encoder.limit);
  return MakeLearnedPolicy(std::move(name), options.frame, std::move(actor));
}

namespace {

class LearnedPolicy final : public SchedulingPolicy {
 public:
  LearnedPolicy(std::string name, const FrameOptions& options, std::unique_ptr<DecisionActor> actor)
      : name_(std::move(name)), frame_(options), actor_(std::move(actor)) {
    actions_.reserve(options.encoder.limit * kActionsPerRow);
  }

  std::string_view Name() const override { return name_; }

  void Decide(const SystemView& view, SchedulingPlan& plan) override {
    if (frame_.Look(view)) {
      actions_.resize(frame_.features().size() * kActionsPerRow);
      actor_->Act(frame_.features(), actions_);
    }
    frame_.Decide(view, actions_, plan);
  }

 private:
  std::string name_;
  DecisionFrame frame_;
  std::unique_ptr<DecisionActor> actor_;
  std::vector<float> actions_;
};

}  // namespace

std::unique_ptr<SchedulingPolicy> MakeLearnedPolicy(std::string name, const FrameOptions& options,
                                                    std::unique_ptr<DecisionActor> actor) {
  return std::make_unique<LearnedPolicy>(std::move(name), options, std::move(actor));
}

namespace {

// A segment of a job, for ever.
struct RowName {
  std::uint64_t serial = 0;
  SegmentId segment;
  friend auto operator<=>(const RowName&, const RowName&) = default;
};

struct KeptAnswer {
  RowName name;
  Instant asked{};
  std::array<float, kIndicatorFeatures> indicators{};  // as they were then; 0 where none are shown
  std::array<float, kActionsPerRow> actions{};
};

std::array<float, kIndicatorFeatures> IndicatorsOf(std::span<const float> row) {
  std::array<float, kIndicatorFeatures> indicators{};
  std::ranges::copy(row.subspan(kSegmentFeatures), indicators.begin());
  return indicators;
}

class RememberingActor final : public DecisionActor {
 public:
  RememberingActor(std::unique_ptr<DecisionActor> actor, Duration refresh, std::size_t most)
      : actor_(std::move(actor)), refresh_(refresh) {
    kept_.reserve(most);
    now_.reserve(most);
    unknown_.reserve(most);
    shown_.Reserve(most, kSegmentFeatures + kIndicatorFeatures);
    answers_.reserve(most * kActionsPerRow);
  }

  void Act(const DecisionFeatures& features, std::span<float> actions) override {
    if (std::exchange(costs_version_, features.costs_version) != features.costs_version)
      kept_.clear();
    Recall(features);
    Ask(features);
    for (std::size_t row = 0; row < now_.size(); ++row)
      std::ranges::copy(now_[row].actions, actions.subspan(row * kActionsPerRow).begin());
    std::ranges::sort(now_, {}, &KeptAnswer::name);
    std::swap(kept_, now_);
  }

 private:
  // Fills now_, row by row, and unknown_ with those that are to be asked about.
  void Recall(const DecisionFeatures& features) {
    now_.clear();
    unknown_.clear();
    for (std::size_t row = 0; row < features.size(); ++row) {
      const RowName name{features.segments[row].serial, features.segments[row].segment};
      const auto indicators = IndicatorsOf(features.Row(row));
      const auto kept = std::ranges::lower_bound(kept_, name, {}, &KeptAnswer::name);
      if (kept != kept_.end() && kept->name == name && kept->indicators == indicators &&
          features.now - kept->asked <= refresh_) {
        now_.push_back(*kept);
        continue;
      }
      now_.push_back({.name = name, .asked = features.now, .indicators = indicators});
      unknown_.push_back(row);
    }
  }

  void Ask(const DecisionFeatures& features) {
    if (unknown_.empty()) return;
    shown_.Begin(features);
    for (const std::size_t row : unknown_) shown_.Add(features, row);
    answers_.resize(unknown_.size() * kActionsPerRow);
    actor_->Act(shown_, answers_);
    for (std::size_t i = 0; i < unknown_.size(); ++i)
      std::copy_n(&answers_[i * kActionsPerRow], kActionsPerRow, now_[unknown_[i]].actions.begin());
  }

  std::unique_ptr<DecisionActor> actor_;
  Duration refresh_;
  std::uint64_t costs_version_ = 0;
  std::vector<KeptAnswer> kept_;      // of the last decision, by name
  std::vector<KeptAnswer> now_;       // of this one; the rest is scratch
  std::vector<std::size_t> unknown_;  // rows
  DecisionFeatures shown_;
  std::vector<float> answers_;
};

}  // namespace

std::unique_ptr<DecisionActor> RememberAnswers(std::unique_ptr<DecisionActor> actor,
                                               Duration refresh, std::size_t most) {
  return std::make_unique<RememberingActor>(std::move(actor), refresh, most);
}

}  // namespace fairlead
