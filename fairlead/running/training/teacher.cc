#include "fairlead/running/training/teacher.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "fairlead/base/units.h"
#include "fairlead/policies/dysta_rule.h"
#include "fairlead/policies/edf.h"
#include "fairlead/policies/edf_share.h"
#include "fairlead/policies/house.h"
#include "fairlead/policies/sjf.h"
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

// Chosen on seeds from 101 on (docs/learning.md).
constexpr double kWorkSlackWeight = 0.01;
constexpr double kWorkSpare = 0.1;

// The least work first, weighed against slack; what has little time to spare behind all others.
// Smaller jobs make more hits of the same time; a job that will hardly make it wastes what it gets.
class WorkRule final : public ScoringRule {
 public:
  WorkRule(double slack_weight, double spare) : slack_weight_(slack_weight), spare_(spare) {}
  void Score(const SystemView& view, std::span<ScoredSegment> segments) override {
    for (ScoredSegment& segment : segments) {
      const Job& job = view.job(segment.job);
      const auto rest =
          static_cast<double>(Nanoseconds(view.costs().ShortestTail(job.network, segment.segment)));
      const auto slack = static_cast<double>(Nanoseconds(job.deadline - view.now())) - rest;
      segment.score = rest + slack_weight_ * slack;
      segment.rank = slack < spare_ * rest ? 1 : 0;
    }
  }

 private:
  double slack_weight_;
  double spare_;
};

// "work:WEIGHT:SPARE"
std::unique_ptr<ScoringRule> ParseWork(std::string_view name) {
  if (name == "work") return std::make_unique<WorkRule>(kWorkSlackWeight, kWorkSpare);
  const std::size_t second = name.rfind(':');
  if (!name.starts_with("work:") || second <= 5) return nullptr;
  const auto weight = ParseNumber(name.substr(5, second - 5));
  const auto spare = ParseNumber(name.substr(second + 1));
  if (!weight.has_value() || !spare.has_value()) return nullptr;
  return std::make_unique<WorkRule>(*weight, *spare);
}

constexpr std::array<std::string_view, 6> kTeachers = {"edf",  "sjf",       "dysta",
                                                       "work", "edf-share", "fairlead"};

}  // namespace

void Teacher::Begin(const SystemView& view) {
  unused_.Clear();
  rule_->Begin(view, unused_);
}

void Teacher::Order(const SystemView& view, const DecisionFeatures& features,
                    std::vector<std::uint16_t>& order) {
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

Result<std::unique_ptr<Teacher>> MakeTeacher(std::string_view name) {
  std::unique_ptr<ScoringRule> rule;
  if (name == "edf") rule = std::make_unique<KeyedRule>(MakeEarliestDeadlineFirst());
  if (name == "sjf") rule = std::make_unique<KeyedRule>(MakeShortestJobFirst());
  if (name == "dysta") rule = std::make_unique<DystaRule>();
  if (name == "edf-share") rule = MakeEdfShare();
  if (name == "fairlead") rule = MakeHouseRule(Triage::kEqual);
  if (rule == nullptr) rule = ParseWork(name);
  if (rule == nullptr)
    return Fail("no teacher is called '{}'; there are {}", name, fmt::join(kTeachers, ", "));
  return std::make_unique<Teacher>(std::move(rule));
}

std::span<const std::string_view> TeacherNames() { return kTeachers; }

}  // namespace fairlead
