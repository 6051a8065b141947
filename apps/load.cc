// fairlead load
#include "fairlead/running/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "apps/files.h"
#include "apps/help_text.h"
#include "apps/progress.h"
#include "apps/signal_watch.h"
#include "apps/verbs.h"
#include "fairlead/base/units.h"
#include "fairlead/scenario/scenario.h"
#include "fairlead/serving/clock.h"
#include "fairlead/serving/grpc/grpc_load_client.h"
#include "fairlead/serving/http/http_load_client.h"
#include "fairlead/world/world.h"

namespace fairlead {
namespace {

using Keys = std::map<std::string, std::string>;

// Lines `tenant key`; those that begin with # are for people.
Result<Keys> ReadKeys(const LoadOptions& options) {
  Keys keys;
  if (!options.key_file.empty()) {
    ASSIGN_OR_RETURN(const std::string text, ReadInput(options.key_file));
    std::istringstream lines(text);
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
      ++number;
      std::istringstream words(line);
      std::string tenant;
      std::string key;
      std::string more;
      if (!(words >> tenant) || tenant.starts_with('#')) continue;
      if (!(words >> key) || words >> more)
        return Fail("{}:{}: expected a tenant and its key", options.key_file, number);
      keys[tenant] = key;
    }
  }
  for (const std::string& given : options.keys) {
    const std::size_t equals = given.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == given.size())
      return Fail("--key {}: expected TENANT=KEY", given);
    ASSIGN_OR_RETURN(keys[given.substr(0, equals)], ReadKey(given.substr(equals + 1)));
  }
  return keys;
}

Result<std::unique_ptr<const World>> LoadWorld(const LoadOptions& options) {
  ASSIGN_OR_RETURN(const std::string text, ReadInput(options.scenario));
  ASSIGN_OR_RETURN(Scenario scenario, ParseScenario(options.scenario, text));
  scenario.late = LateJobs::kDrop;  // as a server does
  if (!options.horizon.empty()) {
    const auto horizon = ParseDuration(options.horizon);
    if (!horizon.has_value() || *horizon <= Duration::zero())
      return Fail("--horizon {}: expected a time such as 30s", options.horizon);
    scenario.horizon = *horizon;
  }
  return BuildWorld(std::move(scenario), &ReadInput, SegmentOrder::kOneAfterAnother);
}

Result<std::unique_ptr<LoadClient>> StartClient(const LoadOptions& options) {
  for (const auto& [scheme, tls] : {std::pair("grpc://", false), std::pair("grpcs://", true)}) {
    if (!options.url.starts_with(scheme)) continue;
    std::string authorities;
    if (!options.authorities.empty()) {
      ASSIGN_OR_RETURN(authorities, ReadInput(options.authorities));
    }
    return StartGrpcLoad({.address = options.url.substr(std::string_view(scheme).size()),
                          .tls = tls,
                          .authorities = authorities});
  }
  return StartHttpLoad(
      {.url = options.url, .authorities = options.authorities, .connections = options.connections});
}

// A key whose tenant the scenario does not have is a slip of the pen.
Status CheckKeys(const Keys& keys, const World& world) {
  for (const auto& [tenant, key] : keys) {
    if (std::ranges::find(world.tenants, tenant, &Tenant::name) == world.tenants.end())
      return Fail("a key is given for '{}', who is no tenant of the scenario", tenant);
  }
  return {};
}

}  // namespace

int Run(const LoadOptions& options) {
  SignalWatch signals;
  ASSIGN_OR_COMPLAIN(const auto keys, ReadKeys(options), kBadInput);
  ASSIGN_OR_COMPLAIN(const auto world, LoadWorld(options), kBadInput);
  for (const std::string& warning : world->warnings) Tell("{}\n", warning);
  ASSIGN_OR_COMPLAIN(const auto policy, ServedPolicy(options.policy, world->scenario), kBadInput);
  COMPLAIN_IF_ERROR(CheckKeys(keys, *world), kBadInput);
  ASSIGN_OR_COMPLAIN(const auto client, StartClient(options), kBadInput);
  signals.Arm();
  const RealClock clock;
  Result<LoadFigures> figures;
  {
    ProgressMeter meter(1);
    figures = RunLoad({.world = world.get(),
                       .seed = options.seed.value_or(world->scenario.seed),
                       .keys = keys,
                       .client = client.get(),
                       .clock = &clock,
                       .stop = signals.token(),
                       .progressed = [&](double share) { meter.Set(0, share); }});
  }
  if (!figures.has_value()) return Complain(figures.error(), kCouldNotGoOn);
  figures->url = options.url;
  if (options.compare && !figures->interrupted) {
    COMPLAIN_IF_ERROR(SimulateBeside(*world, policy, *figures), kCouldNotGoOn);
  }
  COMPLAIN_IF_ERROR(PrintOut(options.form == OutputForm::kJson ? LoadJson(*figures)
                                                               : WithinWidth(FormatLoad(*figures))),
                    kCouldNotGoOn);
  return signals.signal() == 0 ? kDone : kInterrupted + signals.signal();
}

}  // namespace fairlead
