// Environments for Python: fairlead/gym.py puts Gymnasium's words around them.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cmath>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "fairlead/base/units.h"
#include "python/src/bindings.h"
#include "python/src/environments.h"
#include "python/src/errors.h"
#include "python/src/python_world.h"

namespace py = pybind11;

namespace fairlead {
namespace {

using Floats = py::array_t<float, py::array::c_style | py::array::forcecast>;

template <typename T>
std::span<T> SpanOf(py::array_t<T>& array) {
  return {array.mutable_data(), static_cast<std::size_t>(array.size())};
}

// The arrays that a call hands back.
struct Arrays {
  explicit Arrays(const Environments& of)
      : system({of.count(), kSystemFeatures}),
        rows({of.count(), of.limit(), of.width()}),
        mask({of.count(), of.limit()}),
        rewards(static_cast<py::ssize_t>(of.count())),
        discounts(static_cast<py::ssize_t>(of.count())),
        seconds(static_cast<py::ssize_t>(of.count())),
        over(static_cast<py::ssize_t>(of.count())) {}

  Environments::Results results() {
    return {SpanOf(system),    SpanOf(rows),    SpanOf(mask), SpanOf(rewards),
            SpanOf(discounts), SpanOf(seconds), SpanOf(over)};
  }
  py::tuple tuple() const {
    return py::make_tuple(system, rows, mask, rewards, discounts, seconds, over);
  }

  py::array_t<float> system, rows;
  py::array_t<std::int8_t> mask;
  py::array_t<double> rewards, discounts, seconds;
  py::array_t<bool> over;
};

EnvironmentOptions OptionsOf(bool aware, std::size_t rows, const std::string& reward, double step,
                             const std::string& tau) {
  if (rows < 1 || rows > 4096) throw InputError("rows: expected 1 to 4096");
  if (!(step > 0) || !std::isfinite(step)) throw InputError("step: expected a number above 0");
  EnvironmentOptions options;
  options.frame.encoder = {.awareness = aware ? Awareness::kIndicators : Awareness::kUnaware,
                           .limit = rows};
  if (reward == "indicators") {
    options.reward.kind = RewardKind::kIndicators;
  } else if (reward == "hits") {
    options.reward.kind = RewardKind::kHits;
  } else {
    throw InputError("reward: expected 'indicators' or 'hits', not '" + reward + "'");
  }
  options.reward.step = step;
  const auto time = ParseDuration(tau);
  if (!time.has_value()) throw InputError("tau: " + time.error().message);
  if (*time <= Duration::zero()) throw InputError("tau: expected a time above 0s");
  options.reward.tau = *time;
  return options;
}

py::tuple Reset(Environments& self, const std::vector<std::size_t>& which,
                const std::vector<std::uint64_t>& seeds) {
  if (which.size() != seeds.size()) throw py::value_error("one seed for each");
  for (const std::size_t i : which) {
    if (i >= self.count()) throw py::index_error("there is no environment " + std::to_string(i));
  }
  Arrays arrays(self);
  Status status;
  {
    const Environments::Results results = arrays.results();
    const py::gil_scoped_release unlocked;
    status = self.Reset(which, seeds, results);
  }
  if (!status.has_value()) RaiseRun(status.error());
  return arrays.tuple();
}

py::tuple Step(Environments& self, const Floats& actions) {
  const std::size_t wanted = self.count() * self.limit() * kActionsPerRow;
  if (static_cast<std::size_t>(actions.size()) != wanted)
    throw py::value_error("actions: expected " + std::to_string(wanted) + " numbers, not " +
                          std::to_string(actions.size()));
  const std::span<const float> numbers{actions.data(), wanted};
  Arrays arrays(self);
  Status status;
  {
    const Environments::Results results = arrays.results();
    const py::gil_scoped_release unlocked;
    status = self.Step(numbers, results);
  }
  if (!status.has_value()) RaiseRun(status.error());
  return arrays.tuple();
}

// How far a run is: what environments tell beside the observation.
py::dict Told(const Environments& self, std::size_t i) {
  const std::lock_guard lock(self.mutex());
  if (i >= self.count() || !self.begun(i))
    throw py::index_error("no such environment, or not reset");
  const Environment& environment = self.at(i);
  const OutcomeCounts counts = environment.engine().state().ledger.MeasuredTotal();
  py::dict told;
  told["time"] = Seconds(environment.now() - Instant{});
  told["decisions"] = environment.decisions();
  told["hits"] = counts.hits();
  told["ended"] = counts.ended();
  return told;
}

// The indicators of all agreements: (tenant, network, target, hits, ended), measured ones.
py::list Agreements(const Environments& self, std::size_t i) {
  const std::lock_guard lock(self.mutex());
  if (i >= self.count() || !self.begun(i))
    throw py::index_error("no such environment, or not reset");
  const SystemState& state = self.at(i).engine().state();
  py::list list;
  for (std::size_t a = 0; a < state.ledger.size(); ++a) {
    const ServiceAgreement& promise = state.ledger.Promise(AgreementId{a});
    const OutcomeCounts& counts = state.ledger.Measured(AgreementId{a});
    list.append(py::make_tuple(
        state.tenants[promise.tenant.index()].name, state.networks[promise.network.index()].name(),
        state.ledger.TargetRate(AgreementId{a}), counts.hits(), counts.ended()));
  }
  return list;
}

}  // namespace

void BindEnvironments(py::module_& module) {
  module.attr("SYSTEM_FEATURES") = kSystemFeatures;
  module.attr("ACTIONS_PER_ROW") = kActionsPerRow;
  py::class_<Environments>(module, "Environments")
      .def(py::init([](std::shared_ptr<World> world, std::size_t count, int threads, bool aware,
                       std::size_t rows, const std::string& reward, double step,
                       const std::string& tau) {
             if (count < 1) throw InputError("at least one environment");
             return std::make_unique<Environments>(std::move(world), count, threads,
                                                   OptionsOf(aware, rows, reward, step, tau));
           }),
           py::arg("world"), py::arg("count"), py::arg("threads"), py::arg("aware"),
           py::arg("rows"), py::arg("reward"), py::arg("step"), py::arg("tau"))
      .def_property_readonly("count", &Environments::count)
      .def_property_readonly("limit", &Environments::limit)
      .def_property_readonly("width", &Environments::width)
      .def("reset", &Reset)
      .def("step", &Step)
      .def("told", &Told)
      .def("agreements", &Agreements);
}

}  // namespace fairlead
