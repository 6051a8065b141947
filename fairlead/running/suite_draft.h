// A scenario of the suite, as it is drawn by chance from stated ranges.
//
// Scenario 17 of seed 5 depends on these two numbers alone, not on how many are drawn. Reporting
// and tuning draw from the same ranges and never the same scenario: their random streams have
// different names. What is drawn is a draft: how long it runs is settled when its world is known
// (suite_run.h).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/interference/interference_model.h"
#include "fairlead/report/suite_report.h"

namespace fairlead {

// What the suite draws from: docs/guide/suite.md states the same in words. Names are listed, not
// looked up, so that a new network or accelerator changes no scenario that was drawn before.
struct SuiteRange {
  double low;
  double high;
};

inline constexpr SuiteRange kSuiteLoad{0.4, 2.0};
inline constexpr SuiteRange kSuiteFactor{1.2, 10};
inline constexpr SuiteRange kSuiteTenants{2, 2000};
inline constexpr SuiteRange kSuiteAccelerators{1, 64};
inline constexpr SuiteRange kSuiteProcessors{1, 16};        // with units, of which each has many
inline constexpr SuiteRange kSuiteBandwidthEach{1, 16};     // GB/s for each array
inline constexpr SuiteRange kSuiteBandwidthShare{0.25, 1};  // of what all processors can ask for
inline constexpr SuiteRange kSuiteSwitchingUs{1, 200};
inline constexpr SuiteRange kSuiteNoise{0.01, 0.5};  // of beliefs, each of the three
inline constexpr SuiteRange kSuiteBias{-0.5, 0.5};
inline constexpr SuiteRange kSuiteTarget{50, 99};        // per cent
inline constexpr SuiteRange kSuiteHighTarget{99, 99.9};  // one in five
inline constexpr SuiteRange kSuiteShare{0.03, 30};       // of the load: up to a thousand to one
inline constexpr SuiteRange kSuiteDeadlineMs{5, 1000};   // where it is no multiple
inline constexpr SuiteRange kSuitePeriods{3, 30};        // in a run
inline constexpr SuiteRange kSuiteCovered{0.3, 3};       // a contract's rate over the real one
inline constexpr SuiteRange kSuiteBurstSeconds{0.1, 5};  // of a contract's rate
inline constexpr SuiteRange kSuiteEpochUs{100, 20000};   // decision periods
inline constexpr SuiteRange kSuiteWindow{5, 50};
inline constexpr int kSuiteMostKinds = 6;
inline constexpr int kSuiteMostNetworks = 6;
inline constexpr int kSuiteMostGroups = 4;
inline constexpr int kSuiteMostNetworksEach = 3;

inline constexpr auto kSuiteArrays = std::to_array<std::string_view>(
    {"eyeriss", "eyeriss-v2", "eyeriss-v2-64gb", "eyeriss16", "gemmini", "gemmini-2ghz",
     "gemmini-3ghz", "gemmini-os", "simba", "systolic", "systolic-64gb"});

struct SuiteProcessor {
  std::string_view kind;
  double gb_per_s;  // that one of them can ask for
};
inline constexpr auto kSuiteProcessorKinds =
    std::to_array<SuiteProcessor>({{"cpu", 200}, {"gpu", 3400}});

// Those that both models and measurements know, and one that only models do.
inline constexpr auto kSuiteNetworks = std::to_array<std::string_view>(
    {"alexnet", "densenet121", "efficientnet-b0", "googlenet", "inception-v3", "mnasnet1-0",
     "mobilenet-v2", "mobilenet-v3-large", "resnet18", "resnet50", "shufflenet-v2-x1-0",
     "squeezenet1-1", "vgg16", "wide-resnet50-2"});
inline constexpr std::string_view kSuiteModelledNetwork = "yolo-v3";

enum class SuitePurpose : std::uint8_t { kReporting, kTuning };

struct SuiteDraw {
  std::uint64_t seed = 1;
  int number = 1;  // of the scenario, from 1 on
  SuitePurpose purpose = SuitePurpose::kReporting;
  int attempt = 1;  // a draw that makes no world is drawn again
};

struct DraftKind {
  std::string_view name;
  int count = 1;
};

// Either a ready platform, or kinds behind one memory.
struct DraftPlatform {
  std::string_view family;  // "arrays", "processors" or "measured"
  std::string_view ready;
  std::vector<DraftKind> kinds;
  double bandwidth_gb_per_s = 0;
  Sharing sharing = Sharing::kProportional;
  double switching_us = 0;

  int accelerators() const;
};

struct DraftArrivals {
  std::string_view process;
  double shape = 0;   // of pareto
  double busy = 0;    // of bursty: a share of the horizon
  double quiet = 0;   // of bursty: in busy spells
  double ratio = 0;   // of bursty
  double jitter = 0;  // of periodic: a share of the shortest period
};

struct DraftTenants {
  std::string name;
  int count = 1;
  std::vector<std::string_view> networks;
  int networks_each = 1;
  double share = 1;
  double weight = 1;
  int priority = 1;
  std::optional<double> factor;  // none: the scenario's
  double deadline_ms = 0;        // instead of a factor; 0: none
  std::optional<double> target;  // per cent
  double periods = 0;            // in a run, for each of which the target holds; 0: the whole run
  double covered = 0;            // a contract's rate over the real one; 0: no contract
  double burst_s = 0;            // of a contract's rate
  double joins = 0;              // a share of the run
  double leaves = 1;             // likewise
  bool zipf = false;             // 70, 80 and 90 % by Zipf's law instead
  int window = 0;
  int max_misses = 0;
  double price = 1;
  double penalty = 0;
  std::optional<DraftArrivals> arrivals;  // none: the scenario's
};

// An accelerator that goes away and comes back.
struct DraftLoss {
  std::string accelerator;
  double away = 0;  // a share of the run
  double back = 1;
};

struct DraftBeliefs {
  double bias = 0;
  double noise = 0;
  double network_noise = 0;
  double kind_noise = 0;
};

struct SuiteDraft {
  std::string name;        // "suite-5-17", or "tuning-5-17"
  std::string origin;      // how to draw it again
  std::uint64_t seed = 0;  // of its first run
  DraftPlatform platform;
  std::string_view segments;
  int layers_per_block = 0;  // 0: no blocks
  bool batches = false;
  double factor = 0;
  bool levels = true;  // 0.8, 1 and 1.2; else 1 alone
  double load = 0;
  DraftArrivals arrivals;
  std::vector<DraftTenants> tenants;
  DraftBeliefs beliefs;
  double epoch_us = 0;  // decisions in periods; 0: after every event
  std::vector<DraftLoss> losses;

  int tenant_count() const;
};

SuiteDraft DrawScenario(const SuiteDraw& draw);

// What a draft leaves open: how long it runs, and the shortest mean gap between requests.
struct SuiteScale {
  double horizon_s = 1;
  double shortest_gap_s = 0;
  std::vector<double> rates;  // mean requests per second of an agreement, by group
};

// The scenario as a file. It is read by ParseScenario.
std::string ScenarioText(const SuiteDraft& draft, const SuiteScale& scale);

// In classes.
std::vector<SuiteTrait> TraitsOf(const SuiteDraft& draft);

}  // namespace fairlead
