// `fairlead serve`: a scenario's world, live, with its networks, behind its front doors.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/scenario/files.h"
#include "fairlead/serving/event_log.h"
#include "fairlead/serving/inference.h"
#include "fairlead/world/world.h"

namespace fairlead {

struct ServedAt {
  std::string url;
  std::string grpc{};  // address and port; empty: no gRPC
  std::vector<NetworkInfo> networks;
};

struct ServerSetup {
  // Of a scenario with `serve`, segments one after the other; outlives the server.
  const World* world = nullptr;
  std::string policy;                            // name and options
  std::ostream* recording = nullptr;             // optional
  FileReader read;                               // networks' files
  std::function<void(const std::string&)> tell;  // lines about what is wrong, from any thread
  std::function<void(const ServedAt&)> ready;    // clients may come; from any thread
  std::function<void()> draining{};              // it was asked to stop; from any thread
  std::function<void()> give_up{};  // ends the process: something does not return; optional
  EventLog* log = nullptr;          // of what happens in the engine; optional
  // Called so often, from a thread of its own, as long as the engine takes turns.
  std::optional<Duration> heartbeat{};
  std::function<void()> beat{};
};

// Loads, serves until it is asked to stop, and drains. Paths of the scenario's `serve` are relative
// to its file.
Status Serve(const ServerSetup& setup, const std::stop_token& stop);

// A scenario for this machine to begin with: three tenants, two small networks.
std::string DemoScenario();

}  // namespace fairlead
