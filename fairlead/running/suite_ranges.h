// What the suite draws from: docs/guide/suite.md states the same in words. Names are listed, not
// looked up, so that a new network or accelerator changes no scenario that was drawn before.
#pragma once

#include <array>
#include <string_view>

namespace fairlead {

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

}  // namespace fairlead
