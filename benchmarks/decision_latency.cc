// How long does one decision take with a thousand ready segments on 64 accelerators of four kinds?
// Every registered policy that needs no plan, in worlds that are kind to it and in worlds that are
// not.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/decision_world.h"
#include "benchmarks/harness.h"
#include "fairlead/world/policy_registry.h"

namespace fairlead {
namespace {

constexpr double kAsked = 100;  // microseconds

constexpr DecisionCase kCases[] = {
    {.name = "all idle", .idle = kAccelerators},
    {.name = "half idle", .idle = kAccelerators / 2},
    {.name = "one idle", .idle = 1},
    {.name = "poor idle", .idle = kAccelerators / kKinds + 1, .last_kind = LastKind::kPoor},
    {.name = "useless idle", .idle = kAccelerators / kKinds + 1, .last_kind = LastKind::kUseless},
    {.name = "burst", .idle = kAccelerators, .ready_by = ReadyBy::kBurst},
    {.name = "hopeless", .idle = 1, .ready_by = ReadyBy::kHopeless},
};

struct Options {
  bool quick = false;
  bool all = false;
  int decisions = 5000;
  std::string policies;
};

bool HasOption(const PolicyEntry& entry, std::string_view key) {
  return std::ranges::find(entry.options, key, &OptionInfo::key) != entry.options.end();
}

// Each policy as it is, without waiting, and with early drops; then every placement once.
std::vector<std::string> PolicySpecs() {
  std::vector<std::string> specs;
  for (const PolicyEntry& entry : Policies()) {
    if (entry.needs.plan) continue;
    specs.emplace_back(entry.name);
    if (HasOption(entry, "wait")) specs.push_back(fmt::format("{}:wait=never", entry.name));
    if (HasOption(entry, "drop")) specs.push_back(fmt::format("{}:drop=early", entry.name));
  }
  for (std::string_view place : {"fastest", "least-loaded", "round-robin", "random"})
    specs.push_back(fmt::format("edf-h:place={}", place));
  return specs;
}

struct Row {
  std::string policy;
  std::vector<DecisionTimes> cases;
};

void PrintTable(std::string_view title, const std::vector<Row>& rows,
                const std::function<double(const DecisionTimes&)>& value) {
  fmt::print("\n{}\n{:26}", title, "");
  for (const DecisionCase& the_case : kCases) fmt::print("{:>13}", the_case.name);
  fmt::print("\n");
  double worst = 0;
  for (const Row& row : rows) {
    fmt::print("{:26}", row.policy);
    for (const DecisionTimes& times : row.cases) {
      fmt::print("{:>13.1f}", value(times));
      worst = std::max(worst, value(times));
    }
    fmt::print("\n");
  }
  fmt::print("{:26}{:>13.1f}\n", "worst", worst);
}

Status RunAll(const Options& options) {
  std::vector<std::string> specs = PolicySpecs();
  if (!options.policies.empty()) {
    ASSIGN_OR_RETURN(specs, ParsePolicyList(options.policies));
  }
  std::vector<Row> rows;
  for (const std::string& spec : specs) {
    Row row{.policy = spec, .cases = {}};
    for (const DecisionCase& the_case : kCases) {
      ASSIGN_OR_RETURN(const auto world, DecisionWorld::Create(the_case, spec));
      // A burst takes sixteen more decisions to work off, so there are fewer of them.
      const bool long_way = the_case.ready_by != ReadyBy::kAndBy;
      ASSIGN_OR_RETURN(DecisionTimes times,
                       world->Measure(std::max(options.decisions / (long_way ? 10 : 1), 50)));
      row.cases.push_back(std::move(times));
    }
    rows.push_back(std::move(row));
  }
  fmt::print(
      "One decision: {} ready segments, {} accelerators of {} kinds; microseconds (asked: "
      "{:.0f})\n",
      kReadySegments, kAccelerators, kKinds, kAsked);
  PrintTable("median", rows, [](const DecisionTimes& t) { return Quantile(t.decide, 0.5); });
  // The rest in processor time: without what else the machine did meanwhile.
  PrintTable("99 in 100 take at most", rows,
             [](const DecisionTimes& t) { return Quantile(t.processor, 0.99); });
  PrintTable("longest", rows, [](const DecisionTimes& t) { return Quantile(t.processor, 1); });
  if (!options.all) return {};
  PrintTable("longest, in wall time", rows,
             [](const DecisionTimes& t) { return Quantile(t.decide, 1); });
  PrintTable("median, with carrying out the plan", rows,
             [](const DecisionTimes& t) { return Quantile(t.and_commit, 0.5); });
  PrintTable("ready segments, on average", rows, [](const DecisionTimes& t) { return t.ready; });
  PrintTable("idle accelerators, on average", rows, [](const DecisionTimes& t) { return t.idle; });
  return {};
}

}  // namespace
}  // namespace fairlead

int main(int argc, char** argv) {
  fairlead::Options options;
  fairlead::Arguments arguments("decision_latency",
                                "How long does one decision take with a thousand ready segments?");
  arguments.Add("--quick", options.quick, "500 decisions each");
  arguments.Add("--decisions", options.decisions, "of each policy in each world; 5000");
  arguments.Add("--policies", options.policies, "A,B,... instead of all");
  arguments.Add("--all", options.all,
                "more tables: wall time, with the commit, how many were ready and idle");
  if (const auto status = arguments.Parse(argc, argv)) return *status;
  if (options.quick) options.decisions = 500;
  const fairlead::Status status = fairlead::RunAll(options);
  if (status.has_value()) return 0;
  fmt::print(stderr, "decision_latency: {}\n", status.error().message);
  return 1;
}
