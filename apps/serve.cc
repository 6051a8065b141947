// fairlead serve
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "apps/input_files.h"
#include "apps/output_file.h"
#include "apps/serve_log.h"
#include "apps/service_manager.h"
#include "apps/signal_watch.h"
#include "apps/verbs.h"
#include "fairlead/execution/machine.h"
#include "fairlead/running/live_networks.h"
#include "fairlead/running/server.h"
#include "fairlead/scenario/scenario.h"
#include "fairlead/world/policy_registry.h"
#include "fairlead/world/world.h"

namespace fairlead {
namespace {

constexpr std::string_view kDemo = "demo";

Result<std::unique_ptr<const World>> LoadServed(const ServeOptions& options) {
  std::string text = options.config.empty() ? DemoScenario() : std::string();
  if (!options.config.empty()) {
    ASSIGN_OR_RETURN(text, ReadInput(options.config));
  }
  const std::string file = options.config.empty() ? std::string(kDemo) : options.config;
  ASSIGN_OR_RETURN(Scenario scenario, ParseScenario(file, text));
  if (!scenario.serve.has_value())
    return Fail(
        "{}: there is no section 'serve'; for example\nserve: {{http: 127.0.0.1:8000, "
        "anonymous: true}}",
        file);
  if (!scenario.requests.empty())
    return FailAt(scenario.requests_place, "a server needs 'tenants'; requests come from clients");
  if (options.port.has_value()) {
    scenario.serve->http.port = *options.port;
    if (scenario.serve->grpc.has_value())
      scenario.serve->grpc->port = *options.port == 0 ? 0 : *options.port + 1;
  }
  return BuildWorld(std::move(scenario), &ReadInput, SegmentOrder::kOneAfterAnother);
}

Result<std::string> PolicyOf(const ServeOptions& options, const Scenario& scenario) {
  std::string policy = options.policy;
  if (policy.empty())
    policy = scenario.policies.empty() ? "fairlead" : scenario.policies.front().spec;
  ASSIGN_OR_RETURN(const auto chosen, ChoosePolicy(policy));
  if (chosen.needs.plan) return Fail("{} takes a plan, which a server has not", policy);
  return chosen.canonical;
}

// Whether who says no name has an agreement on a network; anybody may where keys say who calls.
bool MayTry(const World& world, std::string_view network) {
  const ServeConfig& serve = *world.scenario.serve;
  if (!serve.anonymous) return true;
  const std::string& caller =
      serve.anonymous_tenant.empty() ? world.tenants.front().name : serve.anonymous_tenant;
  return std::ranges::any_of(world.agreements, [&](const PlannedAgreement& planned) {
    return world.tenants[planned.agreement.tenant.index()].name == caller &&
           world.networks[planned.agreement.network.index()].name() == network;
  });
}

// For people, and for scripts that wait for it.
void TellWhere(const World& world, const std::string& policy, const ServedAt& served) {
  const ServeConfig& serve = *world.scenario.serve;
  const std::string curl = fmt::format("curl -s{}{}", serve.certificate.empty() ? "" : " -k",
                                       serve.anonymous ? "" : " -H 'Authorization: Bearer KEY'");
  fmt::print("fairlead serves at {} (policy {})\n", served.url, policy);
  if (!served.grpc.empty()) fmt::print("and over gRPC at {}\n", served.grpc);
  for (const NetworkInfo& network : served.networks) {
    if (network.inputs.size() != 1 || !MayTry(world, network.name)) continue;
    TensorInfo input = network.inputs.front();
    for (std::int64_t& extent : input.shape) extent = extent < 0 ? 1 : extent;
    fmt::print("try:\n  {} {}/v2/models/{}\n", curl, served.url, network.name);
    fmt::print(
        "  head -c {} /dev/zero | {} --data-binary @- -H 'Inference-Header-Content-Length: "
        "0' {}/v2/models/{}/infer | head -c 150\n",
        ElementCount(input.shape).value_or(0) * static_cast<std::int64_t>(ElementBytes(input.type)),
        curl, served.url, network.name);
    break;
  }
  std::fflush(stdout);
}

}  // namespace

int Run(const ServeOptions& options) {
  if (options.print) {
    const Status printed = PrintOut(DemoScenario());
    return printed.has_value() ? kDone : Complain(printed.error(), kCouldNotGoOn);
  }
  SignalWatch signals;
  const auto world = LoadServed(options);
  if (!world.has_value()) return Complain(world.error(), kBadInput);
  for (const std::string& warning : (*world)->warnings) Tell("{}\n", warning);
  const auto policy = PolicyOf(options, (*world)->scenario);
  if (!policy.has_value()) return Complain(policy.error(), kBadInput);
  std::unique_ptr<OutputFile> recording;
  if (!options.recording.empty()) {
    if (!(*world)->scenario.serve->recordings.folder.empty())
      return Complain(Error{"--record, or 'recordings' in the scenario: one of them"}, kBadInput);
    auto opened = OutputFile::Open(options.recording);
    if (!opened.has_value()) return Complain(opened.error(), kBadInput);
    recording = std::move(*opened);
  }
  const auto log = OpenLog(options);
  if (!log.has_value()) return Complain(log.error(), kBadInput);
  const ServeLog events(log->get());
  if (CoresOf(**world, Machine::This().UsableCores()).left.empty()) Tell("{}", kNoCoreLeft);
  events.Starting((*world)->scenario.name, *policy);
  const ServerSetup setup{.world = world->get(),
                          .policy = *policy,
                          .recording = recording == nullptr ? nullptr : &recording->stream(),
                          .read = &ReadInput,
                          .tell = [&](const std::string& line) { events.Trouble(line); },
                          .ready =
                              [&](const ServedAt& served) {
                                TellWhere(**world, *policy, served);
                                events.Ready(served.url);
                              },
                          .draining = [&] { events.Draining(); },
                          .log = log->get(),
                          .heartbeat = WatchdogInterval(),
                          .beat = [] { NotifyServiceManager("WATCHDOG=1"); }};
  signals.Arm();
  const Status status = Serve(setup, signals.token());
  if (!status.has_value()) {
    events.Failed(status.error().message);
    return kCouldNotGoOn;
  }
  if (recording != nullptr) {
    const Status kept = recording->Commit();
    if (!kept.has_value()) return Complain(kept.error(), kCouldNotGoOn);
  }
  events.Drained();
  return kDone;
}

}  // namespace fairlead
