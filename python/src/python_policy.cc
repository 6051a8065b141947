#include "python/src/python_policy.h"

#include <utility>

namespace py = pybind11;

namespace fairlead {
PythonPolicy::PythonPolicy(std::string name, py::object policy, PythonFailure& failure)
    : name_(std::move(name)), failure_(failure), policy_(std::move(policy)) {
  decide_ = policy_.attr("decide");
  observe_ = py::getattr(policy_, "observe", py::none());
}

PythonPolicy::~PythonPolicy() {
  const py::gil_scoped_acquire lock;
  decide_.release().dec_ref();
  observe_.release().dec_ref();
  policy_.release().dec_ref();
}

template <typename Call>
void PythonPolicy::Guarded(Call call) {
  if (failure_.raised.has_value()) return;
  const py::gil_scoped_acquire lock;
  try {
    call();
  } catch (py::error_already_set& error) {
    failure_.raised.emplace(std::move(error));
    failure_.stop.request_stop();
  }
  scope_->Close();
}

void PythonPolicy::Observe(const SystemView& view, const Event& event) {
  if (observe_.is_none()) return;
  Guarded([&] {
    scope_->Open(view, nullptr);
    PythonView seen{{scope_, scope_->turn()}};
    PythonEvent what{{scope_, scope_->turn()}, event};
    observe_(std::move(seen), std::move(what));
  });
}

void PythonPolicy::Decide(const SystemView& view, SchedulingPlan& plan) {
  Guarded([&] {
    scope_->Open(view, &plan);
    decide_(PythonView{{scope_, scope_->turn()}}, PythonPlan{{scope_, scope_->turn()}});
  });
}

}  // namespace fairlead
