// fairlead serve
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "apps/files.h"
#include "apps/signal_watch.h"
#include "apps/verbs.h"
#include "fairlead/base/units.h"
#include "fairlead/execution/machine.h"
#include "fairlead/running/live_networks.h"
#include "fairlead/running/server.h"
#include "fairlead/scenario/scenario.h"
#include "fairlead/serving/clock.h"
#include "fairlead/serving/event_log.h"
#include "fairlead/world/policy_registry.h"
#include "fairlead/world/world.h"

namespace fairlead {
namespace {

// Tells systemd how a server fares, where it was started by it (Type=notify): sd_notify's protocol,
// a datagram on the socket that NOTIFY_SOCKET names. Nothing happens elsewhere.
void NotifyServiceManager(std::string_view state) {
  const char* const path = std::getenv("NOTIFY_SOCKET");
  if (path == nullptr || (path[0] != '/' && path[0] != '@')) return;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::size_t length = std::strlen(path);
  if (length >= sizeof address.sun_path) return;
  std::memcpy(address.sun_path, path, length);
  if (path[0] == '@') address.sun_path[0] = '\0';  // of no folder
  const int handle = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (handle < 0) return;
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length);
  sendto(handle, state.data(), state.size(), MSG_NOSIGNAL,
         reinterpret_cast<const sockaddr*>(&address), size);  // who does not listen does not care
  close(handle);
}

// How often it wants to hear WATCHDOG=1; none: never.
std::optional<Duration> WatchdogInterval() {
  const char* const interval = std::getenv("WATCHDOG_USEC");
  if (interval == nullptr || std::getenv("NOTIFY_SOCKET") == nullptr) return std::nullopt;
  const char* const process = std::getenv("WATCHDOG_PID");
  if (process != nullptr && std::to_string(getpid()) != process) return std::nullopt;
  const auto microseconds = ParseInteger(interval);
  if (!microseconds.has_value() || *microseconds <= 0) return std::nullopt;
  return std::chrono::microseconds{*microseconds} / 2;
}

// None where none is asked for.
Result<std::unique_ptr<EventLog>> OpenLog(const ServeOptions& options) {
  if (options.log.empty()) return nullptr;
  EventLog::Sink sink = [](std::string_view lines) { TellText(lines); };
  if (options.log != kStandardOutput) {
    const auto file = std::make_shared<std::ofstream>(options.log, std::ios::app);
    if (!file->good()) return Fail("{}: cannot be written", options.log);
    // What a full disk does not take is lost; when there is room again it goes on.
    sink = [file](std::string_view lines) {
      file->clear();
      file->write(lines.data(), static_cast<std::streamsize>(lines.size()));
      file->flush();
    };
  }
  return std::make_unique<EventLog>(*FindLogLevel(options.log_level), &WallNanoseconds,
                                    std::move(sink));
}

// What a server says of itself: to people, as lines on standard error; to programs, as events in a
// log; and to the service manager that started it. From any thread.
class ServeLog {
 public:
  explicit ServeLog(EventLog* log) : log_(log) {}

  void Starting(const std::string& scenario, const std::string& policy) const {
    Tell("loading networks; the first time takes seconds for each\n");
    if (log_ != nullptr)
      log_->Write(LogLevel::kInfo, "starting",
                  {{"version", FAIRLEAD_VERSION}, {"scenario", scenario}, {"policy", policy}});
  }
  void Ready(const std::string& url) const {
    if (log_ != nullptr) log_->Write(LogLevel::kInfo, "ready", {{"url", url}});
    NotifyServiceManager(fmt::format("READY=1\nSTATUS=serves at {}", url));
  }
  void Trouble(const std::string& message) const {
    Tell("{}\n", message);
    if (log_ != nullptr) log_->Write(LogLevel::kWarning, "trouble", {{"message", message}});
  }
  void Draining() const {
    if (log_ != nullptr) log_->Write(LogLevel::kInfo, "draining");
    NotifyServiceManager("STOPPING=1\nSTATUS=draining");
  }
  void Drained() const {
    Tell("drained\n");
    if (log_ != nullptr) log_->Write(LogLevel::kInfo, "drained");
  }
  void Failed(const std::string& message) const {
    Complain({message}, kCouldNotGoOn);
    if (log_ != nullptr) log_->Write(LogLevel::kError, "failed", {{"message", message}});
  }

 private:
  EventLog* const log_;  // may be none
};

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

Result<std::string> ServedPolicy(std::string policy, const Scenario& scenario) {
  if (policy.empty())
    policy = scenario.policies.empty() ? "fairlead" : scenario.policies.front().spec;
  ASSIGN_OR_RETURN(const auto chosen, ChoosePolicy(policy));
  if (chosen.needs.plan) return Fail("{} takes a plan, which a server has not", policy);
  return chosen.canonical;
}

int Run(const ServeOptions& options) {
  if (options.print) {
    const Status printed = PrintOut(DemoScenario());
    return printed.has_value() ? kDone : Complain(printed.error(), kCouldNotGoOn);
  }
  umask(S_IRWXG | S_IRWXO);       // store, recordings and logs are the server's own
  std::signal(SIGPIPE, SIG_IGN);  // who does not read any more misses what is said
  SignalWatch signals;
  ASSIGN_OR_COMPLAIN(const auto world, LoadServed(options), kBadInput);
  for (const std::string& warning : world->warnings) Tell("{}\n", warning);
  ASSIGN_OR_COMPLAIN(const auto policy, ServedPolicy(options.policy, world->scenario), kBadInput);
  std::unique_ptr<OutputFile> recording;
  if (!options.recording.empty()) {
    if (!world->scenario.serve->recordings.folder.empty())
      return Complain(Error{"--record, or 'recordings' in the scenario: one of them"}, kBadInput);
    ASSIGN_OR_COMPLAIN(auto opened, OutputFile::Open(options.recording), kBadInput);
    recording = std::move(opened);
  }
  ASSIGN_OR_COMPLAIN(const auto log, OpenLog(options), kBadInput);
  const ServeLog events(log.get());
  if (CoresOf(*world, Machine::This().UsableCores()).left.empty()) Tell("{}", kNoCoreLeft);
  events.Starting(world->scenario.name, policy);
  const ServerSetup setup{.world = world.get(),
                          .policy = policy,
                          .recording = recording == nullptr ? nullptr : &recording->stream(),
                          .read = &ReadInput,
                          .tell = [&](const std::string& line) { events.Trouble(line); },
                          .ready =
                              [&](const ServedAt& served) {
                                TellWhere(*world, policy, served);
                                events.Ready(served.url);
                              },
                          .draining = [&] { events.Draining(); },
                          .give_up = [] { std::_Exit(kCouldNotGoOn); },
                          .log = log.get(),
                          .heartbeat = WatchdogInterval(),
                          .beat = [] { NotifyServiceManager("WATCHDOG=1"); }};
  signals.Arm();
  const Status status = Serve(setup, signals.token());
  if (!status.has_value()) {
    events.Failed(status.error().message);
    return kCouldNotGoOn;
  }
  if (recording != nullptr) {
    COMPLAIN_IF_ERROR(recording->Commit(), kCouldNotGoOn);
  }
  events.Drained();
  return kDone;
}

}  // namespace fairlead
