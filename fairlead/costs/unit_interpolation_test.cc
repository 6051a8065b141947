#include <gtest/gtest.h>

#include "fairlead/costs/measured.h"

namespace fairlead {
namespace {

Profile Parsed(const std::string& rows) {
  return ParseProfile("p.csv",
                      "network,layer,accelerator,latency_ns,dram_bytes,energy_pj,units,version,"
                      "pressed_ns\n" +
                          rows)
      .value();
}

std::string Filled(const std::string& rows) {
  std::string text;
  for (const CostRow& row : WithAllUnits(Parsed(rows)).rows)
    text += fmt::format("{}:{}v{}={},{},{} ", row.segment.value, row.configuration.units,
                        row.configuration.version, row.cost.latency.count(), row.cost.dram_bytes,
                        row.cost.pressed_latency.count());
  return text;
}

TEST(WithAllUnits, FillsWhatLiesBetween) {
  // Halved by four times the units, so two take 1 / sqrt(2) of it.
  EXPECT_EQ(Filled("a,0,c,1000,7,0,1,0,2000\na,0,c,500,9,0,4,0,1000\n"),
            "0:1v0=1000,7,2000 0:2v0=707,7,1414 0:3v0=577,7,1155 0:4v0=500,9,1000 ");
}

TEST(WithAllUnits, KeepsLayersAndVersionsApart) {
  EXPECT_EQ(Filled("a,0,c,100,0,0,1,0,0\na,0,c,80,0,0,1,1,0\na,1,c,10,0,0,2,0,0\n"),
            "0:1v0=100,0,0 0:1v1=80,0,0 1:2v0=10,0,0 ");
}

TEST(WithAllUnits, GoesTowardsNoPressureWhereAllUnitsAreTaken) {
  // Twice as long on one, no longer on all four: 2, 1.41, 1.15 and 1 times.
  EXPECT_EQ(Filled("a,0,c,1000,7,0,1,0,2000\na,0,c,1000,7,0,4,0,0\n"),
            "0:1v0=1000,7,2000 0:2v0=1000,7,1414 0:3v0=1000,7,1155 0:4v0=1000,7,0 ");
}

TEST(WithAllUnits, LeavesWhatTakesNoTime) {
  EXPECT_EQ(Filled("a,0,c,0,0,0,1,0,0\na,0,c,0,0,0,3,0,0\n"),
            "0:1v0=0,0,0 0:2v0=0,0,0 0:3v0=0,0,0 ");
}

}  // namespace
}  // namespace fairlead
