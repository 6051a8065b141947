#include "python/src/agent_policy.h"

#include <pybind11/numpy.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "fairlead/learning/learned_policy.h"

namespace py = pybind11;

namespace fairlead {
namespace {

// A function of Python's in the place of a network.
class PythonActor final : public DecisionActor {
 public:
  PythonActor(py::object act, PythonFailure& failure) : act_(std::move(act)), failure_(failure) {}
  PythonActor(const PythonActor&) = delete;
  PythonActor& operator=(const PythonActor&) = delete;
  ~PythonActor() override {
    const py::gil_scoped_acquire lock;
    act_.release().dec_ref();
  }

  void Act(const DecisionFeatures& features, std::span<float> actions) override {
    std::ranges::fill(actions, 0.0F);
    if (failure_.raised.has_value()) return;
    const py::gil_scoped_acquire lock;
    try {
      Ask(features, actions);
    } catch (py::error_already_set& error) {
      failure_.raised.emplace(std::move(error));
      failure_.stop.request_stop();
    }
  }

 private:
  void Ask(const DecisionFeatures& features, std::span<float> actions) {
    using Floats = py::array_t<float, py::array::c_style | py::array::forcecast>;
    py::dict observation;
    observation["system"] = py::array_t<float>(static_cast<py::ssize_t>(features.system.size()),
                                               features.system.data());
    observation["segments"] =
        py::array_t<float>({features.size(), features.width}, features.rows.data());
    const Floats answer = Floats::ensure(act_(observation));
    if (!answer) throw py::error_already_set();
    if (static_cast<std::size_t>(answer.size()) != actions.size()) {
      PyErr_Format(PyExc_ValueError, "act: expected an action of %zu x %zu numbers, not %zd",
                   features.size(), kActionsPerRow, answer.size());
      throw py::error_already_set();
    }
    for (std::size_t i = 0; i < actions.size(); ++i) {
      const float number = answer.data()[i];
      if (std::isnan(number)) {
        PyErr_SetString(PyExc_ValueError, "act: an action is not a number");
        throw py::error_already_set();
      }
      actions[i] = std::clamp(number, -1.0F, 1.0F);
    }
  }

  py::object act_;
  PythonFailure& failure_;
};

}  // namespace

std::unique_ptr<SchedulingPolicy> MakeAgentPolicy(std::string name, const py::object& policy,
                                                  PythonFailure& failure) {
  FrameOptions options;
  options.encoder = {
      .awareness = policy.attr("aware").cast<bool>() ? Awareness::kIndicators : Awareness::kUnaware,
      .limit = policy.attr("rows").cast<std::size_t>()};
  return MakeLearnedPolicy(std::move(name), options,
                           std::make_unique<PythonActor>(policy.attr("act"), failure));
}

}  // namespace fairlead
