// SystemView for Python: objects with attributes, and the same as NumPy tables.
//
// Times are whole nanoseconds. Ids are places in this run's arrangement, which differs by seed;
// names do not.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "python/src/bindings.h"
#include "python/src/decision_scope.h"

namespace py = pybind11;

namespace fairlead {
namespace {

struct ReadyRow {
  std::uint32_t job, segment, tenant, agreement, network;
  std::int32_t priority;
  std::uint64_t request;
  std::int64_t arrival, deadline, since, work_left, shortest_tail;
  bool started, covered;
};

struct AcceleratorRow {
  std::uint32_t kind;
  std::int32_t units, free_units;
  std::int64_t free_at;
  bool online, idle;
};

struct AgreementRow {
  std::uint32_t tenant, network;
  double weight, target, indicator;
  std::int64_t hits, ended;
  std::int32_t misses_left;
  bool open, promised, sacrificed;
};

template <typename T>
T Made(const InScope& from) {
  T made{};
  made.scope = from.scope;
  made.turn = from.turn;
  return made;
}

bool IsIdle(const AcceleratorState& state) {
  return state.online && state.free_units == state.units && state.queue.empty();
}

ReadyRow RowOf(const SystemView& view, const ReadySegment& ready) {
  const Job& job = view.job(ready.job);
  return {.job = ready.job.value,
          .segment = ready.segment.value,
          .tenant = job.tenant.value,
          .agreement = job.agreement.value,
          .network = job.network.value,
          .priority = job.priority,
          .request = job.request,
          .arrival = Nanoseconds(job.arrival),
          .deadline = Nanoseconds(job.deadline),
          .since = Nanoseconds(ready.since),
          .work_left = Nanoseconds(job.work_left),
          .shortest_tail = Nanoseconds(view.costs().ShortestTail(job.network, ready.segment)),
          .started = job.started(),
          .covered = job.covered};
}

AgreementRow RowOf(const SystemView& view, AgreementId id) {
  const FairnessLedger& ledger = view.ledger();
  const ServiceAgreement& promise = ledger.Promise(id);
  return {.tenant = promise.tenant.value,
          .network = promise.network.value,
          .weight = view.tenants()[promise.tenant.index()].weight,
          .target = ledger.TargetRate(id),
          .indicator = ledger.Indicator(id),
          .hits = ledger.Current(id).hits(),
          .ended = ledger.Current(id).ended(),
          .misses_left = ledger.MissesLeft(id),
          .open = ledger.IsOpen(id),
          .promised = promise.IsPromised(),
          .sacrificed = ledger.IsSacrificed(id)};
}

py::array_t<ReadyRow> ReadyTable(const PythonView& self) {
  const auto ready = self.view().ready();
  py::array_t<ReadyRow> table(static_cast<py::ssize_t>(ready.size()));
  ReadyRow* row = table.mutable_data();
  for (const ReadySegment& one : ready) *row++ = RowOf(self.view(), one);
  return table;
}

py::array_t<AcceleratorRow> AcceleratorTable(const PythonView& self) {
  const auto states = self.view().accelerators();
  py::array_t<AcceleratorRow> table(static_cast<py::ssize_t>(states.size()));
  AcceleratorRow* row = table.mutable_data();
  for (const AcceleratorState& state : states) {
    *row++ = {.kind = state.kind.value,
              .units = state.units,
              .free_units = state.free_units,
              .free_at = Nanoseconds(state.believed_free),
              .online = state.online,
              .idle = IsIdle(state)};
  }
  return table;
}

py::array_t<AgreementRow> AgreementTable(const PythonView& self) {
  const SystemView& view = self.view();
  py::array_t<AgreementRow> table(static_cast<py::ssize_t>(view.ledger().size()));
  AgreementRow* row = table.mutable_data();
  for (std::size_t a = 0; a < view.ledger().size(); ++a) *row++ = RowOf(view, AgreementId{a});
  return table;
}

// Ready segments by accelerators, in nanoseconds; infinity where one cannot run.
py::array_t<double> Latencies(const PythonView& self) {
  const SystemView& view = self.view();
  const auto ready = view.ready();
  const auto states = view.accelerators();
  py::array_t<double> table({ready.size(), states.size()});
  double* cell = table.mutable_data();
  for (const ReadySegment& one : ready) {
    const auto latencies = view.costs().LatenciesAlone(view.job(one.job).network, one.segment);
    for (const AcceleratorState& state : states) {
      const Duration latency = latencies[state.kind.index()];
      *cell++ = latency == CostTable::kCannotRun || !state.online
                    ? std::numeric_limits<double>::infinity()
                    : static_cast<double>(latency.count());
    }
  }
  return table;
}

std::optional<std::int64_t> Latency(const PythonView& self, const PythonReady& ready,
                                    const PythonAccelerator& accelerator, int units, int batch) {
  const AcceleratorState& state = accelerator.state();
  if (units < 0 || batch < 1) throw py::value_error("units and batch are positive");
  const SegmentCost* const cost =
      self.view().costs().Find(ready.job().network, ready.ready.segment, state.kind,
                               {units == 0 ? state.units : units, batch});
  if (cost == nullptr) return std::nullopt;
  return Nanoseconds(cost->latency);
}

template <typename Items, typename NameOf>
std::vector<std::string> Names(const Items& items, NameOf name_of) {
  std::vector<std::string> names;
  for (const auto& item : items) names.push_back(name_of(item));
  return names;
}

std::string_view EventName(EventKind kind) {
  switch (kind) {
    case EventKind::kJobArrived: return "job_arrived";
    case EventKind::kJobCancelled: return "job_cancelled";
    case EventKind::kSegmentStarted: return "segment_started";
    case EventKind::kSegmentFinished: return "segment_finished";
    case EventKind::kSegmentFailed: return "segment_failed";
    case EventKind::kAcceleratorJoined: return "accelerator_joined";
    case EventKind::kAcceleratorLeft: return "accelerator_left";
    case EventKind::kTenantJoined: return "tenant_joined";
    case EventKind::kTenantLeft: return "tenant_left";
    case EventKind::kAgreementChanged: return "agreement_changed";
    case EventKind::kPolicyChanged: return "policy_changed";
    case EventKind::kWakeUp: return "wake_up";
    case EventKind::kJobFinished: return "job_finished";
  }
  return "?";
}

// None where the event is not about one.
template <typename Id>
std::optional<std::uint32_t> Number(Id id) {
  return id.valid() ? std::optional(id.value) : std::nullopt;
}

void BindReady(py::module_& module) {
  using Ready = PythonReady;
  const auto time = [](auto get) {
    return [get](const Ready& self) { return Nanoseconds(get(self)); };
  };
  py::class_<Ready>(module, "Ready", "A segment that could start now, and the job it is of.")
      .def_property_readonly("job", [](const Ready& self) { return self.ready.job.value; })
      .def_property_readonly("segment", [](const Ready& self) { return self.ready.segment.value; })
      .def_property_readonly(
          "serial", [](const Ready& self) { return self.ready.serial; },
          "of the job: no other one ever has it")
      .def_property_readonly("since", time([](const Ready& self) { return self.ready.since; }))
      .def_property_readonly("request", [](const Ready& self) { return self.job().request; })
      .def_property_readonly("tenant", [](const Ready& self) { return self.job().tenant.value; })
      .def_property_readonly("agreement",
                             [](const Ready& self) { return self.job().agreement.value; })
      .def_property_readonly("network", [](const Ready& self) { return self.job().network.value; })
      .def_property_readonly("arrival", time([](const Ready& self) { return self.job().arrival; }))
      .def_property_readonly("deadline",
                             time([](const Ready& self) { return self.job().deadline; }))
      .def_property_readonly("work_left",
                             time([](const Ready& self) { return self.job().work_left; }))
      .def_property_readonly("shortest_tail", time([](const Ready& self) {
                               return self.view().costs().ShortestTail(self.job().network,
                                                                       self.ready.segment);
                             }),
                             "the least time from the start of this segment to the end of its job")
      .def_property_readonly("priority", [](const Ready& self) { return self.job().priority; })
      .def_property_readonly("started", [](const Ready& self) { return self.job().started(); })
      .def_property_readonly("covered", [](const Ready& self) { return self.job().covered; });
}

void BindAccelerator(py::module_& module) {
  using Accelerator = PythonAccelerator;
  py::class_<Accelerator>(module, "Accelerator")
      .def_property_readonly("index", [](const Accelerator& self) { return self.id.value; })
      .def_property_readonly("name",
                             [](const Accelerator& self) {
                               return self.view().platform().accelerators[self.id.index()].name;
                             })
      .def_property_readonly("kind",
                             [](const Accelerator& self) { return self.state().kind.value; })
      .def_property_readonly("online", [](const Accelerator& self) { return self.state().online; })
      .def_property_readonly(
          "idle", [](const Accelerator& self) { return IsIdle(self.state()); },
          "online, with all units free and nothing enqueued")
      .def_property_readonly("units", [](const Accelerator& self) { return self.state().units; })
      .def_property_readonly("free_units",
                             [](const Accelerator& self) { return self.state().free_units; })
      .def_property_readonly(
          "free_at",
          [](const Accelerator& self) { return Nanoseconds(self.state().believed_free); })
      .def_property_readonly("running", [](const Accelerator& self) {
        py::list list;
        for (const AssignmentId id : self.state().running) {
          auto running = Made<PythonRunning>(self);
          running.id = id;
          list.append(running);
        }
        return list;
      });
  using Running = PythonRunning;
  py::class_<Running>(module, "Running", "A segment, or a batch of them, on an accelerator.")
      .def_property_readonly("network",
                             [](const Running& self) { return self.assignment().network.value; })
      .def_property_readonly("segment",
                             [](const Running& self) { return self.assignment().segment.value; })
      .def_property_readonly("units", [](const Running& self) { return self.assignment().units; })
      .def_property_readonly("batch", [](const Running& self) { return self.assignment().batch(); })
      .def_property_readonly(
          "start", [](const Running& self) { return Nanoseconds(self.assignment().start); })
      .def_property_readonly("believed_end", [](const Running& self) {
        return Nanoseconds(self.assignment().start + self.assignment().believed_latency);
      });
}

void BindAgreement(py::module_& module) {
  using Agreement = PythonAgreement;
  const auto row = [](auto get) {
    return [get](const Agreement& self) { return get(RowOf(self.view(), self.id)); };
  };
  py::class_<Agreement>(module, "Agreement",
                        "What was promised to a tenant for a network, and got.")
      .def_property_readonly("index", [](const Agreement& self) { return self.id.value; })
      .def_property_readonly("tenant", row([](const AgreementRow& r) { return r.tenant; }))
      .def_property_readonly("network", row([](const AgreementRow& r) { return r.network; }))
      .def_property_readonly("weight", row([](const AgreementRow& r) { return r.weight; }))
      .def_property_readonly("target", row([](const AgreementRow& r) { return r.target; }))
      .def_property_readonly("indicator", row([](const AgreementRow& r) { return r.indicator; }),
                             "the share of hits so far; the target before anything has ended")
      .def_property_readonly("hits", row([](const AgreementRow& r) { return r.hits; }))
      .def_property_readonly("ended", row([](const AgreementRow& r) { return r.ended; }))
      .def_property_readonly("misses_left",
                             row([](const AgreementRow& r) { return r.misses_left; }))
      .def_property_readonly("open", row([](const AgreementRow& r) { return r.open; }))
      .def_property_readonly("promised", row([](const AgreementRow& r) { return r.promised; }))
      .def_property_readonly("sacrificed", row([](const AgreementRow& r) { return r.sacrificed; }));
}

void BindEvent(py::module_& module) {
  using Seen = PythonEvent;
  py::class_<Seen>(module, "Event", "Something that happened: docs/guide/python.md has the kinds.")
      .def_property_readonly("kind", [](const Seen& self) { return EventName(self.event.kind); })
      .def_property_readonly("job", [](const Seen& self) { return Number(self.event.job); })
      .def_property_readonly("accelerator",
                             [](const Seen& self) { return Number(self.event.accelerator); })
      .def_property_readonly("tenant", [](const Seen& self) { return Number(self.event.tenant); })
      .def_property_readonly("agreement",
                             [](const Seen& self) {
                               const bool of_job = self.event.job.valid();
                               return Number(of_job ? self.view().job(self.event.job).agreement
                                                    : self.event.agreement);
                             })
      .def_property_readonly("outcome", [](const Seen& self) -> std::optional<std::string_view> {
        if (self.event.kind != EventKind::kJobFinished) return std::nullopt;
        return ToString(self.event.outcome);
      });
}

py::list ReadyList(const PythonView& self) {
  py::list list;
  for (const ReadySegment& ready : self.view().ready()) {
    auto made = Made<PythonReady>(self);
    made.ready = ready;
    list.append(made);
  }
  return list;
}

template <typename T, typename Id>
py::list Numbered(const PythonView& self, std::size_t count) {
  py::list list;
  for (std::size_t i = 0; i < count; ++i) {
    T made = Made<T>(self);
    made.id = Id{i};
    list.append(made);
  }
  return list;
}

}  // namespace

void BindView(py::module_& module) {
  PYBIND11_NUMPY_DTYPE(ReadyRow, job, segment, tenant, agreement, network, priority, request,
                       arrival, deadline, since, work_left, shortest_tail, started, covered);
  PYBIND11_NUMPY_DTYPE(AcceleratorRow, kind, units, free_units, free_at, online, idle);
  PYBIND11_NUMPY_DTYPE(AgreementRow, tenant, network, weight, target, indicator, hits, ended,
                       misses_left, open, promised, sacrificed);
  BindReady(module);
  BindAccelerator(module);
  BindAgreement(module);
  BindEvent(module);
  py::class_<PythonView>(module, "View", "All that a policy may know at one instant.")
      .def_property_readonly("now",
                             [](const PythonView& self) { return Nanoseconds(self.view().now()); })
      .def_property_readonly(
          "period", [](const PythonView& self) { return Nanoseconds(self.view().period()); })
      .def_property_readonly("ready", &ReadyList,
                             "segments that could start now, in no special order")
      .def_property_readonly("accelerators",
                             [](const PythonView& self) {
                               return Numbered<PythonAccelerator, AcceleratorId>(
                                   self, self.view().accelerators().size());
                             })
      .def_property_readonly("agreements",
                             [](const PythonView& self) {
                               return Numbered<PythonAgreement, AgreementId>(
                                   self, self.view().ledger().size());
                             })
      .def_property_readonly("network_names",
                             [](const PythonView& self) {
                               return Names(self.view().networks(),
                                            [](const auto& network) { return network.name(); });
                             })
      .def_property_readonly("tenant_names",
                             [](const PythonView& self) {
                               return Names(self.view().tenants(),
                                            [](const auto& tenant) { return tenant.name; });
                             })
      .def_property_readonly("kind_names",
                             [](const PythonView& self) {
                               return Names(self.view().platform().kinds,
                                            [](const auto& kind) { return kind.name; });
                             })
      .def("latency", &Latency, py::arg("ready"), py::arg("accelerator"), py::arg("units") = 0,
           py::arg("batch") = 1,
           "believed nanoseconds of a segment there, on all units unless told; None: it cannot run "
           "so")
      .def("latencies", &Latencies,
           "of each ready segment (rows) on each accelerator, in nanoseconds; inf: it cannot run "
           "there")
      .def("ready_table", &ReadyTable, "all ready segments as a structured NumPy array")
      .def("accelerator_table", &AcceleratorTable)
      .def("agreement_table", &AgreementTable);
}

}  // namespace fairlead
