#include "fairlead/world/objective_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

#include "fairlead/base/units.h"
#include "fairlead/world/policy_registry.h"
#include "fairlead/world/world.h"

namespace fairlead {
namespace {

constexpr std::string_view kTenantPrefix = "tenant.";

// A run of this world before anything happened: it has all names and no values.
RunFigures EmptyRun(const World& world) {
  RunFigures run;
  for (const Accelerator& accelerator : world.platform.accelerators)
    run.busy.push_back({.accelerator = accelerator.name,
                        .kind = world.platform.kinds[accelerator.kind.index()].name});
  for (const PlannedAgreement& planned : world.agreements)
    run.per_agreement.push_back({.tenant = world.tenants[planned.agreement.tenant.index()].name});
  if (IsGuarded(world.scenario)) run.guard.emplace();
  return run;
}

// The tenants of the group, or the tenant, of this name; empty if there is none.
std::vector<std::string> TenantsCalled(std::string_view name, const World& world) {
  std::vector<bool> chosen(world.tenants.size());
  for (const PlannedAgreement& planned : world.agreements) {
    const std::size_t tenant = planned.agreement.tenant.index();
    const bool in_group = !world.listed() && world.scenario.tenants[planned.group].name == name;
    if (in_group || world.tenants[tenant].name == name) chosen[tenant] = true;
  }
  std::vector<std::string> tenants;
  for (std::size_t t = 0; t < chosen.size(); ++t) {
    if (chosen[t]) tenants.push_back(world.tenants[t].name);
  }
  return tenants;
}

std::vector<std::string> AllTenants(const World& world) {
  std::vector<std::string> names;
  for (const Tenant& tenant : world.tenants) names.push_back(tenant.name);
  return names;
}

std::string SuggestFigure(std::string_view word, const std::vector<ScalarFigure>& figures) {
  std::vector<std::string> paths;
  for (const ScalarFigure& figure : figures) paths.push_back(figure.Path());
  const std::vector<std::string_view> views(paths.begin(), paths.end());
  return Suggest(word, views);
}

std::string FiguresIn(std::string_view group, const std::vector<ScalarFigure>& figures) {
  std::vector<std::string_view> names;
  for (const ScalarFigure& figure : figures) {
    if (figure.group == group) names.push_back(figure.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string SuggestTenant(std::string_view word, const World& world) {
  std::vector<std::string_view> names;
  for (const TenantsConfig& group : world.scenario.tenants) names.push_back(group.name);
  for (const Tenant& tenant : world.tenants) {
    if (std::ranges::find(names, tenant.name) == names.end()) names.push_back(tenant.name);
  }
  return Suggest(word, names);
}

Result<std::vector<std::string>> FindTenants(std::string_view name, const World& world,
                                             const std::vector<ScalarFigure>& of_run) {
  std::vector<std::string> tenants = TenantsCalled(name, world);
  const bool prefixed = tenants.empty() && name.starts_with(kTenantPrefix);
  if (prefixed) {
    name.remove_prefix(kTenantPrefix.size());
    tenants = TenantsCalled(name, world);
  }
  if (!tenants.empty()) return tenants;
  if (!prefixed && std::ranges::find(of_run, name, &ScalarFigure::group) != of_run.end())
    return Fail("'{}' has the figures {}", name, FiguresIn(name, of_run));
  return Fail("no tenant and no group of tenants is called '{}'{}", name,
              SuggestTenant(name, world));
}

// Whose figure it is, and which.
Status ResolveFigure(std::string_view path, const World& world, Objective& objective) {
  const RunFigures empty = EmptyRun(world);
  const std::vector<ScalarFigure> of_run = ScalarFigures(empty);
  objective.figure = path;
  if (const ScalarFigure* figure = FindFigure(of_run, path); figure != nullptr) {
    objective.unit = figure->unit;
    return {};
  }
  const std::size_t dot = path.rfind('.');
  if (path == "worst" || path == "promises_kept") {
    objective.tenants = AllTenants(world);
  } else if (dot == std::string_view::npos) {
    return Fail("no figure '{}'{}", path, SuggestFigure(path, of_run));
  } else {
    ASSIGN_OR_RETURN(objective.tenants, FindTenants(path.substr(0, dot), world, of_run));
    objective.figure = path.substr(dot + 1);
  }
  const std::vector<ScalarFigure> of_tenants = FiguresFor(objective.tenants, empty);
  const ScalarFigure* figure = FindFigure(of_tenants, objective.figure);
  if (figure == nullptr)
    return Fail("tenants have no figure '{}'{}", objective.figure,
                SuggestFigure(objective.figure, of_tenants));
  objective.unit = figure->unit;
  return {};
}

Result<double> ParseTime(std::string_view text, double nanoseconds_per_unit) {
  ASSIGN_OR_RETURN(const Duration time, ParseDuration(text));
  return static_cast<double>(time.count()) / nanoseconds_per_unit;
}

Result<double> ParseBound(std::string_view text, const Objective& objective) {
  switch (objective.unit) {
    case FigureUnit::kShare: {
      const auto share = ParseRate(text);
      if (!share.has_value())
        return Fail("{} is a share of 0% to 100%; expected for example 97% or 0.97, not '{}'",
                    objective.figure, text);
      return *share;
    }
    case FigureUnit::kNumber: {
      const auto number = ParseNumber(text);
      if (!number.has_value())
        return Fail("{} is a number without a unit; expected for example 100, not '{}'",
                    objective.figure, text);
      return *number;
    }
    case FigureUnit::kNanoseconds: return ParseTime(text, 1);
    case FigureUnit::kMicroseconds: return ParseTime(text, 1e3);
    case FigureUnit::kSeconds: return ParseTime(text, 1e9);
  }
  return Fail("no such unit");
}

}  // namespace

Result<Objective> ResolveObjective(std::string_view text, const World& world) {
  ASSIGN_OR_RETURN(const ObjectiveParts parts, SplitObjective(text));
  Objective objective{.text = std::string(text), .comparison = parts.comparison};
  RETURN_IF_ERROR(ResolveFigure(parts.figure, world, objective));
  if (std::isalpha(static_cast<unsigned char>(parts.bound.front())) != 0) {
    const auto policy = ChoosePolicy(parts.bound);
    if (!policy.has_value())
      return Fail("'{}' is neither a quantity nor a policy: {}", parts.bound,
                  policy.error().message);
    objective.rival = policy->canonical;
    return objective;
  }
  ASSIGN_OR_RETURN(objective.bound, ParseBound(parts.bound, objective));
  return objective;
}

Result<std::vector<Objective>> ResolveRequirements(const World& world) {
  std::vector<Objective> objectives;
  for (const RequireConfig& require : world.scenario.require) {
    auto objective = ResolveObjective(require.text, world);
    if (!objective.has_value())
      return FailAt(require.place, "require: {}", objective.error().message);
    objective->policy = require.policy.spec;
    objective->asked_by = AskedBy::kScenario;
    objectives.push_back(std::move(*objective));
  }
  return objectives;
}

}  // namespace fairlead
