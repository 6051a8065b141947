#include "fairlead/running/training/teacher.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "fairlead/base/units.h"
#include "fairlead/learning/decision_encoder.h"
#include "fairlead/policies/active_jobs.h"
#include "fairlead/policies/deficit.h"
#include "fairlead/policies/dysta_rule.h"
#include "fairlead/policies/fairlead_rule.h"
#include "fairlead/policies/scoring_rule.h"
#include "fairlead/policies/temporal_rule.h"

namespace fairlead {
namespace {

// Keys that do not change with time are scores too.
class KeyedRule final : public ScoringRule {
 public:
  explicit KeyedRule(std::unique_ptr<TemporalRule> rule) : rule_(std::move(rule)) {}
  void Score(const SystemView& view, std::span<ScoredSegment> segments) override {
    for (ScoredSegment& segment : segments) {
      const ReadySegment ready{segment.job, segment.segment, segment.serial};
      segment.score = static_cast<double>(rule_->Key(view, ready));
    }
  }

 private:
  std::unique_ptr<TemporalRule> rule_;
};

// What the rule "work" weighs: chosen on seeds from 101 on (docs/guide/learning.md).
struct WorkWeights {
  double slack = 0.01;    // against work left
  double waiting = 0.03;  // seconds for each time alone that a job has waited, divided by all jobs:
                          // whoever was served last is served again
  double spare = 0.5;     // of what is left: with less time to spare a job stands behind all others
};

// The least work first, as DySta has it, weighed against slack and waiting; what has little time to
// spare behind all others: a job that will hardly make it wastes what it gets.
class WorkRule final : public ScoringRule {
 public:
  explicit WorkRule(const WorkWeights& weights) : weights_(weights) {}
  void Observe(const SystemView& view, const Event& event) override { jobs_.Observe(view, event); }
  void Score(const SystemView& view, std::span<ScoredSegment> segments) override {
    const auto jobs = static_cast<double>(jobs_.total());
    for (ScoredSegment& segment : segments) {
      const Job& job = view.job(segment.job);
      const double left = Seconds(job.deadline - view.now());
      const double work = Seconds(job.work_left);
      const double rest = Seconds(view.costs().ShortestTail(job.network, segment.segment));
      const double waiting = static_cast<double>(WaitingTime(view, job).count()) /
                             Divisor(view.costs().FastestTotal(job.network));
      segment.score =
          work + weights_.slack * std::max(0.0, left - work) + weights_.waiting * waiting / jobs;
      segment.rank = left - rest < weights_.spare * rest ? 1 : 0;
    }
  }

 private:
  WorkWeights weights_;
  ActiveJobs jobs_;
};

// What the rule "share" weighs: chosen on seeds from 101 on (docs/guide/learning.md).
struct ShareWeights {
  double done = 0.12;     // of a job, against a share of hits
  double slack = 0.004;   // in times of what is left, likewise
  double spare = 0.7;     // as above
  double reserve = 0.01;  // above the target, until a promise counts as kept
};

// What an agreement lacks to its target (best effort: to all), and what was done of a job already,
// so that it is not in vain: house policies in what a learner can see, without steps.
class ShareRule final : public ScoringRule {
 public:
  explicit ShareRule(const ShareWeights& weights) : weights_(weights) {}
  void Score(const SystemView& view, std::span<ScoredSegment> segments) override {
    for (ScoredSegment& segment : segments) {
      const Job& job = view.job(segment.job);
      const FairnessLedger& ledger = view.ledger();
      const double rest = Seconds(view.costs().ShortestTail(job.network, segment.segment));
      const double whole = Seconds(view.costs().FastestTotal(job.network));
      const double slack = Seconds(job.deadline - view.now()) - rest;
      const double done = 1 - std::min(1.0, rest / std::max(whole, 1e-9));
      const bool promised = ledger.Promise(job.agreement).IsPromised();
      const double lacks = ledger.Deficit(job.agreement) + (promised ? weights_.reserve : 0);
      segment.score = weights_.slack * std::min(slack / std::max(rest, 1e-9), 10.0) - lacks -
                      weights_.done * done;
      segment.rank = slack < weights_.spare * rest ? 2 : 0;
      if (promised && lacks < 0) segment.rank += 1;  // behind what is not kept
    }
  }

 private:
  ShareWeights weights_;
};

// A rule of the list policies, asked beside whoever acts.
class RuleTeacher final : public Teacher {
 public:
  explicit RuleTeacher(std::unique_ptr<ScoringRule> rule) : rule_(std::move(rule)) {}
  void Observe(const SystemView& view, const Event& event) override { rule_->Observe(view, event); }
  void Begin(const SystemView& view) override {
    unused_.Clear();
    rule_->Begin(view, unused_);
  }
  void Order(const SystemView& view, const DecisionFeatures& features,
             std::vector<std::uint16_t>& order, std::vector<float>& values) override {
    values.clear();
    scored_.clear();
    for (std::size_t row = 0; row < features.size(); ++row) {
      const ReadySegment& ready = features.segments[row];
      scored_.push_back({.serial = ready.serial,
                         .job = ready.job,
                         .segment = ready.segment,
                         .covered = features.covered[row]});
    }
    rule_->Score(view, scored_);
    order.resize(features.size());
    std::iota(order.begin(), order.end(), std::uint16_t{0});
    std::ranges::sort(order,
                      [&](std::uint16_t a, std::uint16_t b) { return scored_[a] < scored_[b]; });
  }

 private:
  std::unique_ptr<ScoringRule> rule_;
  SchedulingPlan unused_;
  std::vector<ScoredSegment> scored_;
};

// What the teacher "need" weighs: chosen on seeds from 101 on (docs/guide/learning.md).
struct NeedWeights {
  double deficit = 20;  // of a share of hits
  double work = 1;      // each eightfold of the work left
  double done = 3;      // of a job
  double spare = 0.5;   // of what is left: with less time to spare a job stands behind others
  double behind = 1;    // for who is below its target
};

// What an agreement lacks, the logarithm of the work left and what was done of a job, added up:
// between "share" and "work". All of it stands in a row (decision_encoder.h), and steps are steep
// slopes, so that a student can come as close as it likes.
class NeedTeacher final : public Teacher {
 public:
  explicit NeedTeacher(const NeedWeights& weights) : weights_(weights) {}
  void Order(const SystemView& /*view*/, const DecisionFeatures& features,
             std::vector<std::uint16_t>& order, std::vector<float>& values) override {
    values.clear();
    for (std::size_t row = 0; row < features.size(); ++row) {
      const bool aware = features.width > kSegmentFeatures;
      values.push_back(static_cast<float>(
          Value(features.Row(row), aware ? DecisionEncoder::Deficit(features.Row(row)) : 0)));
    }
    order.resize(features.size());
    std::iota(order.begin(), order.end(), std::uint16_t{0});
    std::ranges::sort(order, [&](std::uint16_t a, std::uint16_t b) {
      if (features.covered[a] != features.covered[b]) return static_cast<bool>(features.covered[a]);
      return values[a] != values[b] ? values[a] > values[b] : a < b;
    });
  }

 private:
  static double Slope(double x) { return 1 / (1 + std::exp(-x)); }
  // About [-3, 3]: raw priorities, whose tanh still tells them apart.
  double Value(std::span<const float> row, double deficit) const {
    constexpr double kMiddle = 2;
    constexpr double kScale = 0.25;
    constexpr double kHopeless = 8;      // lies this far behind
    constexpr double kSpareSlope = 0.1;  // of the work left
    constexpr double kBehindSlope = 0.005;
    const double work = DecisionEncoder::WorkLeft(row);  // logarithm
    const double done = DecisionEncoder::Done(row);
    const double spare = DecisionEncoder::Spare(row);
    const double value = weights_.deficit * std::clamp(deficit, -0.3, 0.4) - weights_.work * work +
                         weights_.done * done +
                         weights_.behind * Slope((deficit + kBehindSlope) / kBehindSlope) -
                         kHopeless * Slope((weights_.spare - spare) / kSpareSlope);
    return std::clamp(kScale * (value - kMiddle), -3.0, 3.0);
  }

  NeedWeights weights_;
};

// ":A:B:...": as many numbers as there are weights, or fewer.
bool ParseWeights(std::string_view text, std::initializer_list<double*> weights) {
  for (double* weight : weights) {
    if (text.empty()) return true;
    const std::size_t end = std::min(text.find(':', 1), text.size());
    const auto number = ParseNumber(text.substr(1, end - 1));
    if (text.front() != ':' || !number.has_value()) return false;
    *weight = *number;
    text.remove_prefix(end);
  }
  return text.empty();
}

std::unique_ptr<ScoringRule> ParseRule(std::string_view name) {
  WorkWeights work;
  if (name.starts_with("work") &&
      ParseWeights(name.substr(4), {&work.slack, &work.waiting, &work.spare}))
    return std::make_unique<WorkRule>(work);
  ShareWeights share;
  if (name.starts_with("share") &&
      ParseWeights(name.substr(5), {&share.done, &share.slack, &share.spare, &share.reserve}))
    return std::make_unique<ShareRule>(share);
  return nullptr;
}

constexpr std::array<std::string_view, 8> kTeachers = {"edf",   "sjf",  "dysta",     "work",
                                                       "share", "need", "edf-share", "fairlead"};

}  // namespace

Result<std::unique_ptr<Teacher>> MakeTeacher(std::string_view name) {
  NeedWeights need;
  if (name.starts_with("need") &&
      ParseWeights(name.substr(4),
                   {&need.deficit, &need.work, &need.done, &need.spare, &need.behind}))
    return std::make_unique<NeedTeacher>(need);
  std::unique_ptr<ScoringRule> rule;
  if (name == "edf") rule = std::make_unique<KeyedRule>(MakeEarliestDeadlineFirst());
  if (name == "sjf") rule = std::make_unique<KeyedRule>(MakeShortestJobFirst());
  if (name == "dysta") rule = std::make_unique<DystaRule>();
  if (name == "edf-share") rule = MakeEdfShare();
  if (name == "fairlead") rule = MakeFairleadRule(Triage::kEqual);
  if (rule == nullptr) rule = ParseRule(name);
  if (rule == nullptr)
    return Fail("no teacher is called '{}'; there are {}", name, fmt::join(kTeachers, ", "));
  return std::make_unique<RuleTeacher>(std::move(rule));
}

std::span<const std::string_view> TeacherNames() { return kTeachers; }

}  // namespace fairlead
