// Whom a learner may imitate at first: the order in which a list policy would serve what is ready.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/learning/decision_features.h"
#include "fairlead/scheduling/event.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

// Its opinion costs nothing: it changes no plan.
class Teacher {
 public:
  virtual ~Teacher() = default;

  // As for policies: every event, and every decision before anything else.
  virtual void Observe(const SystemView& /*view*/, const Event& /*event*/) {}
  virtual void Begin(const SystemView& /*view*/) {}
  // The rows in its order, its first choice first; and what it gives for each row, the largest
  // first, where that is a function of the row alone (empty: it is not), so that a student can be
  // told more than an order.
  virtual void Order(const SystemView& view, const DecisionFeatures& features,
                     std::vector<std::uint16_t>& order, std::vector<float>& values) = 0;
};

// "edf", "sjf", "dysta", "edf-share", "fairlead" (without its triage, which only a plan can
// express), and three of our own: "work", the least work first, weighed against slack and waiting,
// and "share", what an agreement lacks, weighed against what was done of a job.
// "need" lies between them, and is a smooth function of what the encoder shows of a row.
// "work:SLACK:WAITING:SPARE", "share:DONE:SLACK:SPARE:RESERVE" and
// "need:DEFICIT:WORK:DONE:SPARE:BEHIND" have other weights (teacher.cc).
Result<std::unique_ptr<Teacher>> MakeTeacher(std::string_view name);
std::span<const std::string_view> TeacherNames();

}  // namespace fairlead
