// The head of a recording: which run this was, and the world that the engine and the policy knew.
//
// Together with the body it is all that a replay needs; no scenario, profile or plan file is opened
// again. It is one line of JSON, and so are the tenants and agreements that join in the body.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/costs/cost_table.h"
#include "fairlead/domain/network_graph.h"
#include "fairlead/domain/platform.h"
#include "fairlead/domain/tenant.h"
#include "fairlead/scheduling/engine.h"

namespace fairlead {

// What a recording may hold at most. Beyond it a file is refused before anything is allocated.
inline constexpr std::int64_t kMostRecordedKinds = 1'000;
inline constexpr std::int64_t kMostRecordedAccelerators = 100'000;
inline constexpr std::int64_t kMostRecordedSegments = 1'000'000;      // of all networks
inline constexpr std::int64_t kMostRecordedCostEntries = 10'000'000;  // segments times kinds
inline constexpr std::int64_t kMostRecordedUnits = 1'000'000;
// Of all latencies, summed; a profile may hold a little less.
inline constexpr Duration kLongestRecordedTotal = kLongestDuration;
inline constexpr Duration kLongestRecordedSwitching = Duration{std::int64_t{1} << 46};  // 19 hours
// Instants of a recording lie in [0, this).
inline constexpr Instant kRecordedTimeEnd = Instant{kLongestDuration};

// Which run this was.
struct RecordingHeader {
  std::string version = FAIRLEAD_VERSION;  // of the program that wrote it
  std::string scenario;
  std::uint64_t seed = 0;
  std::string policy;       // as it was asked for, options included
  std::string policy_name;  // as it calls itself; another name means other behaviour
  EngineOptions engine;
  // Texts that a policy's maker may need, such as a fixed plan; opaque here.
  std::map<std::string, std::string> extras;
};

// A world that owns its parts.
struct RecordedWorld {
  Platform platform;
  std::vector<NetworkGraph> networks;
  CostTable beliefs;
  std::vector<Tenant> tenants;
  std::vector<ServiceAgreement> agreements;

  // For an engine that does not outlive this object.
  EngineWorld ForEngine() const;
};

struct RecordingOpening {
  RecordingHeader header;
  RecordedWorld world;
};

// One line, without its end.
std::string FormatRecordingHeader(const RecordingHeader& header, const EngineWorld& world);
// Complains without a place, like the others below.
Result<RecordingOpening> ParseRecordingHeader(std::string_view json);

// The parts of body lines that are JSON.
std::string FormatRecorded(const Tenant& tenant);
std::string FormatRecorded(const ServiceAgreement& agreement);
std::string FormatRecorded(const AgreementHistory& history);
std::string FormatRecorded(const GuardOptions& guard);
std::string FormatRecorded(const NewNetwork& network);
std::string FormatRecorded(const std::string& text);
Status ParseRecorded(std::string_view json, Tenant& tenant);
Status ParseRecorded(std::string_view json, ServiceAgreement& agreement);
Status ParseRecorded(std::string_view json, AgreementHistory& history);
Status ParseRecorded(std::string_view json, GuardOptions& guard);
Status ParseRecorded(std::string_view json, NewNetwork& network);
Status ParseRecorded(std::string_view json, std::string& text);

}  // namespace fairlead
