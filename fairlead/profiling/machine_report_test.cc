#include "fairlead/profiling/machine_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "fairlead/profiling/testing/sample_machine.h"

namespace fairlead {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

MachineReport TestReport() {
  return {.version = "1.2.3",
          .processor = "Abacus 9000",
          .instructions = {"none", "avx2"},
          .onnx = {},
          .seed = 7,
          .bandwidth = 20'000'000'000,
          .sharing = "max-min",
          .predictions = {{.nanoseconds = {693'000, 456'000}}, {.nanoseconds = {200'000, 0}}}};
}

std::string Table() { return MachineAsTable(TestMachine(), TestReport()); }
nlohmann::json ParsedJson() {
  return nlohmann::json::parse(MachineAsJson(TestMachine(), TestReport()));
}

TEST(MachineReport, DescribesPartitions) {
  EXPECT_THAT(Table(), HasSubstr("p1          2             avx2                  8.0        10.0"
                                 "            5.0\n"));
}

TEST(MachineReport, ShowsNetworksAlone) {
  EXPECT_THAT(Table(), HasSubstr("mobile_net                 1  p1       1.200    2.0 %    "
                                 "1.200   1.010      1.0\n"));
}

TEST(MachineReport, ShowsNetworksSideBySideAndSimulated) {
  EXPECT_THAT(Table(), HasSubstr("p0       0.660    0.600     1.100      0.693   5.0 %\n"));
  EXPECT_THAT(Table(), HasSubstr("p1       0.480    0.400     1.200      0.456  -5.0 %\n"));
}

TEST(MachineReport, SaysHowFarTheSimulatorIsOff) {
  EXPECT_THAT(Table(), HasSubstr("the simulator with 20GB/s of memory, shared max-min: 5.0 % off "
                                 "in the median, 5.0 % at most (3 latencies)\n"));
}

TEST(MachineReport, SaysWhatTheNoiseIs) {
  EXPECT_THAT(Table(), HasSubstr("layers measured twice: 2.0 % apart in the median"));
}

TEST(MachineReport, SaysNothingOfNoiseThatWasNotMeasured) {
  EXPECT_THAT(Table(), Not(HasSubstr("networks measured twice")));
}

TEST(MachineReport, SaysWhyThereAreNoCounters) {
  EXPECT_THAT(Table(), HasSubstr("no perf counters: cycles cannot be counted: traffic is"));
}

TEST(MachineReport, HasRowsOfEightyColumnsAtMost) {
  std::istringstream lines(Table());
  for (std::string line; std::getline(lines, line);) {
    const bool row = line.find("   ") != std::string::npos;
    EXPECT_TRUE(!row || line.size() <= 80) << line;
  }
}

TEST(MachineReport, KnowsHowLayersAreSlowed) {
  // 1.1, 1.122 and 1.5.
  const Slowdowns slowdowns = LayerSlowdowns(TestMachine());
  EXPECT_EQ(slowdowns.count, 3);
  EXPECT_DOUBLE_EQ(slowdowns.median, 1.122);
}

TEST(MachineReport, KnowsHowNetworksAreSlowed) {
  // 1.1 and 1.2 in the first mix, 1 in the second.
  EXPECT_DOUBLE_EQ(NetworkSlowdowns(TestMachine()).median, 1.1);
}

TEST(MachineReport, IsJsonToo) {
  const nlohmann::json json = ParsedJson();
  EXPECT_EQ(json["bandwidth_bytes_per_s"], 20'000'000'000);
  EXPECT_EQ(json["alone"].size(), 4);
  EXPECT_EQ(json["alone"][1]["latency_ns"], 1'200'000);
  EXPECT_EQ(json["mixes"][0][1]["network"], "tiny");
  EXPECT_NEAR(json["prediction_error"]["largest"], 0.05, 1e-9);
}

TEST(MachineReport, HasNoJsonForWhatWasNotMeasured) {
  EXPECT_TRUE(ParsedJson()["noise"]["networks"].is_null());
}

TEST(MachineReport, SaysInTheScenarioWhereToRun) {
  MachineReport report = TestReport();
  report.onnx = {"/somewhere/tiny.onnx"};
  const std::string scenario = MachineScenario(TestMachine(), report);
  EXPECT_THAT(scenario, HasSubstr("cores: [0, 1], instructions: none}\n"));
  EXPECT_THAT(scenario, HasSubstr("cores: [2], instructions: avx2}\n"));
  EXPECT_THAT(scenario, HasSubstr("  onnx:\n    - \"/somewhere/tiny.onnx\"\n"));
}

TEST(MachineReport, NamesTheCostsOfHandOversInTheScenarioIfThereAreAny) {
  MachineProfile machine = TestMachine();
  EXPECT_THAT(MachineScenario(machine, TestReport()), Not(HasSubstr("hand_overs")));
  machine.hand_overs = HandOverCosts(2);
  machine.hand_overs.SetHandOver(KindId{0}, Duration{1});
  EXPECT_THAT(MachineScenario(machine, TestReport()), HasSubstr("\nhand_overs: hand_overs.csv\n"));
}

TEST(MachineReport, QuotesNamesInTheScenario) {
  MachineProfile machine = TestMachine();
  machine.networks[0] = "a: \"b\"";
  EXPECT_THAT(MachineScenario(machine, TestReport()),
              HasSubstr("{name: \"a: \\\"b\\\"\", networks: [\"a: \\\"b\\\"\"], target: 90%}"));
}

}  // namespace
}  // namespace fairlead
