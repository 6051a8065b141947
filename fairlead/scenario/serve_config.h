// How a scenario is served to clients: its section `serve`. Simulations check it and go on.
//
// docs/guide/serve.md explains every key.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/base/time.h"

namespace fairlead {

struct ServeLimits {
  std::int64_t body = std::int64_t{64} << 20;  // bytes
  std::int64_t header = 16 << 10;              // bytes
  int connections = 4096;                      // over HTTP, and as many over gRPC
  int per_address = 1024;
  Duration header_time = std::chrono::seconds{10};
  Duration body_time = std::chrono::seconds{60};
  Duration idle_time = std::chrono::seconds{75};
  Duration write_time = std::chrono::seconds{60};
};

struct ServeAddress {
  std::string host = "127.0.0.1";
  int port = 0;  // 0: any that is free
};

// A log of recordings of bounded size; see serving/recording_log.h.
struct ServeRecordings {
  std::string folder;                           // relative to the scenario; empty: none
  std::int64_t keep = std::int64_t{1} << 30;    // bytes
  std::int64_t piece = std::int64_t{16} << 20;  // bytes
  Duration span = std::chrono::minutes{10};
};

struct ServeConfig {
  ServeAddress http{.port = 8000};
  std::optional<ServeAddress> grpc;  // none: no gRPC
  int threads = 2;
  // Files in PEM form, relative to the scenario; both or neither.
  std::string certificate;
  std::string key;
  // Nobody needs a key: who says no name is this tenant (empty: the first that is listed).
  bool anonymous = false;
  bool public_anonymous = false;  // even at an address that others reach
  std::string anonymous_tenant;
  Place anonymous_place;
  // Hosts by which operators may call it, beside addresses and localhost.
  std::vector<std::string> names;
  std::int64_t memory = 0;  // bytes for what clients have in flight; 0: a quarter of the machine
  std::string store;        // a file, relative to the scenario; empty: nothing is kept
  std::string models;       // a folder of networks to load, relative to the scenario; empty: none
  Duration flush = std::chrono::seconds{1};   // between writings of indicators
  Duration drain = std::chrono::seconds{30};  // for what is under way at the end
  ServeLimits limits;
  ServeRecordings recordings;
};

}  // namespace fairlead
