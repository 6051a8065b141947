// The extension module fairlead._core. fairlead/__init__.py is what people see of it.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fairlead/world/policy_registry.h"
#include "python/src/bindings.h"
#include "python/src/errors.h"
#include "python/src/python_world.h"

namespace py = pybind11;

namespace fairlead {
namespace {

// Name, description, and each option as (name, what it is, what may be written, default).
py::list ListPolicies() {
  py::list list;
  for (const PolicyEntry& policy : Policies()) {
    py::list options;
    for (const OptionInfo& option : policy.options)
      options.append(
          py::make_tuple(option.key, option.sentence, option.values, option.default_value));
    list.append(py::make_tuple(policy.name, policy.description, options));
  }
  return list;
}

std::shared_ptr<const World> Load(std::string file, std::optional<std::string> text,
                                  const std::vector<std::pair<std::string, std::string>>& settings,
                                  std::string requests) {
  ScenarioSource source{
      .file = std::move(file), .text = std::move(text), .requests = std::move(requests)};
  for (const auto& [key, value] : settings) source.settings.push_back({key, value});
  const py::gil_scoped_release unlocked;
  return LoadWorldFor(source);
}

}  // namespace
}  // namespace fairlead

PYBIND11_MODULE(_core, module) {
  using namespace fairlead;
  module.doc() = "Fairlead's simulator; the package fairlead is its face";
  module.attr("__version__") = FAIRLEAD_VERSION;
  py::module_ errors = py::module_::import("fairlead._errors");
  static const py::handle input_error = py::object(errors.attr("InputError")).release();
  static const py::handle run_error = py::object(errors.attr("RunError")).release();
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const InputError& error) {
      PyErr_SetString(input_error.ptr(), error.what());
    } catch (const RunError& error) {
      PyErr_SetString(run_error.ptr(), error.what());
    }
  });

  py::class_<World, std::shared_ptr<World>>(module, "World", "A scenario, read and resolved.")
      .def_property_readonly("name", [](const World& self) { return self.scenario.name; })
      .def_property_readonly("file", [](const World& self) { return self.scenario.file; })
      .def_property_readonly("seed", [](const World& self) { return self.scenario.seed; })
      .def_readonly("warnings", &World::warnings)
      .def_readonly("notes", &World::notes)
      .def("_config", [](const World& self) { return ScenarioJson(self.scenario); })
      // Nothing changes it, so that a copy is itself.
      .def("__copy__", [](std::shared_ptr<World> self) { return self; })
      .def("__deepcopy__", [](std::shared_ptr<World> self, const py::dict&) { return self; })
      .def("__repr__",
           [](const World& self) { return "<fairlead.World " + self.scenario.name + ">"; });
  module.def("load", [](std::string file, std::optional<std::string> text,
                        const std::vector<std::pair<std::string, std::string>>& settings,
                        std::string requests) {
    return std::const_pointer_cast<World>(
        Load(std::move(file), std::move(text), settings, std::move(requests)));
  });
  module.def("policies", &ListPolicies);
  module.def("set_share_folder", &SetShareFolder);
  BindView(module);
  BindPlan(module);
  BindSimulate(module);
  BindEnvironments(module);
}
