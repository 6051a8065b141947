// SchedulingPlan for Python. What is no segment, accelerator or reason at all is an exception here;
// what cannot be carried out is found by the engine, which stops the run and prints the plan.
#include <pybind11/pybind11.h>

#include <algorithm>
#include <string>
#include <vector>

#include "python/src/bindings.h"
#include "python/src/decision_scope.h"

namespace py = pybind11;

namespace fairlead {
namespace {

// A ready segment as Python names it: an object of view.ready, or its place there.
ReadySegment SegmentOf(const PythonPlan& plan, py::handle object) {
  if (py::isinstance<PythonReady>(object)) {
    const auto& ready = object.cast<const PythonReady&>();
    (void)ready.view();  // of this call
    return ready.ready;
  }
  if (!py::isinstance<py::int_>(object) && PyIndex_Check(object.ptr()) == 0)
    throw py::type_error(
        "expected a segment of view.ready, or its place there, or a list of these");
  const auto index = py::int_(py::reinterpret_borrow<py::object>(object)).cast<std::int64_t>();
  const auto ready = plan.view().ready();
  if (index < 0 || static_cast<std::size_t>(index) >= ready.size())
    throw py::index_error("view.ready has no " + std::to_string(index) + ": there are " +
                          std::to_string(ready.size()));
  return ready[static_cast<std::size_t>(index)];
}

AcceleratorId AcceleratorOf(const PythonPlan& plan, py::handle object) {
  if (py::isinstance<PythonAccelerator>(object)) {
    const auto& accelerator = object.cast<const PythonAccelerator&>();
    (void)accelerator.view();
    return accelerator.id;
  }
  if (PyIndex_Check(object.ptr()) == 0)
    throw py::type_error("expected an accelerator of view.accelerators, or its place there");
  const auto index = py::int_(py::reinterpret_borrow<py::object>(object)).cast<std::int64_t>();
  const std::size_t count = plan.view().accelerators().size();
  if (index < 0 || static_cast<std::size_t>(index) >= count)
    throw py::index_error("there is no accelerator " + std::to_string(index) + ": there are " +
                          std::to_string(count));
  return AcceleratorId{static_cast<std::size_t>(index)};
}

AgreementId AgreementOf(const PythonPlan& plan, py::handle object) {
  if (py::isinstance<PythonAgreement>(object)) return object.cast<const PythonAgreement&>().id;
  const auto index = py::int_(py::reinterpret_borrow<py::object>(object)).cast<std::int64_t>();
  if (index < 0 || static_cast<std::size_t>(index) >= plan.view().ledger().size())
    throw py::index_error("there is no agreement " + std::to_string(index));
  return AgreementId{static_cast<std::size_t>(index)};
}

struct Starting {
  std::vector<JobId> jobs;
  SegmentId segment;
};

Starting StartingOf(const PythonPlan& plan, py::handle object) {
  Starting starting;
  if (!py::isinstance<py::list>(object) && !py::isinstance<py::tuple>(object)) {
    const ReadySegment one = SegmentOf(plan, object);
    return {{one.job}, one.segment};
  }
  for (const py::handle item : object) {
    const ReadySegment one = SegmentOf(plan, item);
    if (!starting.jobs.empty() && one.segment != starting.segment)
      throw py::value_error("a batch is one segment of several jobs");
    starting.segment = one.segment;
    starting.jobs.push_back(one.job);
  }
  if (starting.jobs.empty()) throw py::value_error("a batch of nothing");
  return starting;
}

Reason ReasonOf(const std::string& name) {
  for (const Reason reason : {Reason::kHopeless, Reason::kLate, Reason::kOverload}) {
    if (ToString(reason) == name) return reason;
  }
  throw py::value_error("unknown reason '" + name + "': expected hopeless, late or overload");
}

void Start(const PythonPlan& self, py::handle segment, py::handle accelerator, int units,
           std::int64_t bandwidth_cap) {
  const Starting starting = StartingOf(self, segment);
  self.scope->plan(self.turn).StartBatch(AcceleratorOf(self, accelerator), starting.jobs,
                                         starting.segment, {units, bandwidth_cap});
}

void Enqueue(const PythonPlan& self, py::handle segment, py::handle accelerator, int units,
             std::int64_t bandwidth_cap) {
  const Starting starting = StartingOf(self, segment);
  self.scope->plan(self.turn).EnqueueBatch(AcceleratorOf(self, accelerator), starting.jobs,
                                           starting.segment, {units, bandwidth_cap});
}

// A job that has started is dropped, one that has not is rejected.
void GiveUp(const PythonPlan& self, py::handle segment, const std::string& reason) {
  const JobId job = SegmentOf(self, segment).job;
  SchedulingPlan& plan = self.scope->plan(self.turn);
  if (self.view().job(job).started()) return plan.Drop(job, ReasonOf(reason));
  plan.Reject(job, ReasonOf(reason));
}

}  // namespace

void BindPlan(py::module_& module) {
  using Plan = PythonPlan;
  py::class_<Plan>(module, "Plan",
                   "All that a policy may ask for. What it does not mention stays waiting.")
      .def("start", &Start, py::arg("segment"), py::arg("accelerator"), py::kw_only(),
           py::arg("units") = 0, py::arg("bandwidth_cap") = 0,
           "runs a ready segment, or a list of them as a batch, on an accelerator now")
      .def("enqueue", &Enqueue, py::arg("segment"), py::arg("accelerator"), py::kw_only(),
           py::arg("units") = 0, py::arg("bandwidth_cap") = 0,
           "commits a ready segment to an accelerator, behind what it was given before")
      .def("give_up", &GiveUp, py::arg("segment"), py::arg("reason") = "hopeless",
           "gives up the job of a ready segment: drops or rejects it, as it has started or not")
      .def(
          "drop",
          [](const Plan& self, py::handle segment, const std::string& reason) {
            self.scope->plan(self.turn).Drop(SegmentOf(self, segment).job, ReasonOf(reason));
          },
          py::arg("segment"), py::arg("reason") = "hopeless", "gives up a job that already ran")
      .def(
          "reject",
          [](const Plan& self, py::handle segment, const std::string& reason) {
            self.scope->plan(self.turn).Reject(SegmentOf(self, segment).job, ReasonOf(reason));
          },
          py::arg("segment"), py::arg("reason") = "hopeless", "gives up a job that did not run yet")
      .def(
          "resize",
          [](const Plan& self, const PythonRunning& running, int units) {
            (void)running.view();
            self.scope->plan(self.turn).Resize(running.id, units);
          },
          py::arg("running"), py::arg("units"), "changes the units of something that runs")
      .def(
          "wake",
          [](const Plan& self, std::int64_t at) {
            self.scope->plan(self.turn).Wake(AtNanoseconds(at));
          },
          py::arg("at"), "asks to be called at an instant (ns), even if nothing happens then")
      .def(
          "sacrifice",
          [](const Plan& self, py::handle agreement) {
            self.scope->plan(self.turn).Sacrifice(AgreementOf(self, agreement));
          },
          py::arg("agreement"), "gives up the promise of an agreement for now")
      .def(
          "restore",
          [](const Plan& self, py::handle agreement) {
            self.scope->plan(self.turn).Restore(AgreementOf(self, agreement));
          },
          py::arg("agreement"), "takes it up again")
      .def("__len__",
           [](const Plan& self) { return self.scope->plan(self.turn).entries().size(); });
}

}  // namespace fairlead
