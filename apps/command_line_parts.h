// What the verbs' descriptions of their options share.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/options.h"
#include "fairlead/base/units.h"

namespace fairlead {

// -o, for the given forms, the first of which is the default.
template <typename Form>
void AddForm(CLI::App* verb, Form& form, const std::vector<std::string>& names) {
  const auto to_number = [names](std::string& text) -> std::string {
    const auto found = std::ranges::find(names, text);
    if (found == names.end())
      return fmt::format("'{}' is unknown; expected one of {}", text, fmt::join(names, ", "));
    text = std::to_string(found - names.begin());
    return {};
  };
  verb->add_option("-o,--output", form,
                   fmt::format("table (for people) or {}",
                               fmt::join(names.begin() + 1, names.end(), " or ")))
      ->transform(CLI::Validator(to_number, ""))
      ->type_name(fmt::format("{}", fmt::join(names, "|")))
      ->default_str(names.front());
}

inline void AddForm(CLI::App* verb, OutputForm& form) { AddForm(verb, form, {"table", "json"}); }

inline CLI::Validator Whole(std::int64_t low, std::int64_t high) {
  const auto check = [low, high](const std::string& text) -> std::string {
    const auto value = ParseInteger(text);
    if (value.has_value() && *value >= low && *value <= high) return {};
    return fmt::format("'{}' is not a whole number from {} to {}", text, low, high);
  };
  return CLI::Validator(check, "");
}

inline CLI::Validator Number(double low, double high) {
  const auto check = [low, high](const std::string& text) -> std::string {
    const auto value = ParseNumber(text);
    if (value.has_value() && *value >= low && *value <= high) return {};
    return fmt::format("'{}' is not a number from {} to {}", text, low, high);
  };
  return CLI::Validator(check, "");
}

// Adds the verb to the command line.
void AddVerb(CLI::App& app, SimulateOptions& options);
void AddVerb(CLI::App& app, SuiteOptions& options);
void AddVerb(CLI::App& app, QuoteCommandOptions& options);
void AddVerb(CLI::App& app, ProvisionCommandOptions& options);
void AddVerb(CLI::App& app, ShareOptions& options);
void AddVerb(CLI::App& app, TrainCommandOptions& options);
void AddVerb(CLI::App& app, InterferenceOptions& options);
void AddVerb(CLI::App& app, AssignOptions& options);
void AddVerb(CLI::App& app, ReplayOptions& options);
void AddVerb(CLI::App& app, WhyOptions& options);
void AddVerb(CLI::App& app, CutOptions& options);
void AddVerb(CLI::App& app, CheckOptions& options);
void AddVerb(CLI::App& app, CostOptions& options);
void AddVerb(CLI::App& app, ProfileOptions& options);
void AddVerb(CLI::App& app, ImportOptions& options);
void AddVerb(CLI::App& app, ListOptions& options);
void AddVerb(CLI::App& app, ServeOptions& options);
void AddVerb(CLI::App& app, LoadOptions& options);
void AddVerb(CLI::App& app, TenantOptions& options);
void AddVerb(CLI::App& app, AgreementOptions& options);
void AddVerb(CLI::App& app, TopOptions& options);
void AddExperiment(CLI::App& app, ExperimentOptions& options);
inline void AddVerb(CLI::App& app, ExperimentOptions& options) { AddExperiment(app, options); }

}  // namespace fairlead
