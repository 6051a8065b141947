// Whom a learner may imitate at first: the order in which a list policy would serve what is ready.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/learning/decision_features.h"
#include "fairlead/policies/scoring_rule.h"

namespace fairlead {

// Its opinion costs nothing: it changes no plan.
class Teacher {
 public:
  explicit Teacher(std::unique_ptr<ScoringRule> rule) : rule_(std::move(rule)) {}

  // As for policies: every event, and every decision before anything else.
  void Observe(const SystemView& view, const Event& event) { rule_->Observe(view, event); }
  void Begin(const SystemView& view);
  // The rows in its order, its first choice first.
  void Order(const SystemView& view, const DecisionFeatures& features,
             std::vector<std::uint16_t>& order);

 private:
  std::unique_ptr<ScoringRule> rule_;
  SchedulingPlan unused_;
  std::vector<ScoredSegment> scored_;
};

// "edf", "sjf", "dysta", "edf-share", "fairlead" (without its triage, which only a plan can
// express), and three of our own: "work", the least work first, weighed against slack and waiting,
// and "share", what an agreement lacks, weighed against what was done of a job.
// "need" lies between them. "work:SLACK:WAITING:SPARE", "share:DONE:SLACK:SPARE:RESERVE" and
// "need:DEFICIT:WORK:DONE:SPARE" have other weights (teacher.cc).
Result<std::unique_ptr<Teacher>> MakeTeacher(std::string_view name);
std::span<const std::string_view> TeacherNames();

}  // namespace fairlead
