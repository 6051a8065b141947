// What is away does not count: an accelerator that is away from the start is as if it were not
// listed, under every policy, in random worlds.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>

#include "fairlead/base/random.h"
#include "tests/conformance/policy_specs.h"
#include "tests/conformance/random_world.h"
#include "tests/support/simulated_run.h"

namespace fairlead::testing {
namespace {

constexpr std::uint64_t kWorlds = 120;

void InsertAfter(std::string& text, std::string_view mark, std::string_view added) {
  text.insert(text.find(mark) + mark.size(), added);
}

// Without errors of beliefs, which would be others for other entries, and without a price of
// decisions: going away asks for one.
RandomWorldTexts DrawExactWorld(std::uint64_t seed) {
  RandomWorldTexts texts = DrawWorld(seed);
  for (const std::string_view key : {"beliefs:", "decision_charge:"}) {
    const std::size_t at = texts.scenario.find(key);
    if (at != std::string::npos) texts.scenario.erase(at, texts.scenario.find('\n', at) + 1 - at);
  }
  return texts;
}

void SendAway(RandomWorldTexts& texts, const std::string& accelerator) {
  if (texts.scenario.find("changes:\n") == std::string::npos) texts.scenario += "changes:\n";
  InsertAfter(texts.scenario, "changes:\n",
              fmt::format("  - {{at: 0ns, accelerator: {}, state: away}}\n", accelerator));
}

// The same world with accelerators of another kind, which are away. They would be the fastest for
// most segments.
RandomWorldTexts WithAnotherKind(RandomWorldTexts texts, RandomStream& random) {
  const std::uint64_t count = 1 + random.Below(2);
  const std::string listed = fmt::format("    - {{kind: other, count: {}}}\n", count);
  if (random.Below(2) == 0) {
    InsertAfter(texts.scenario, "accelerators:\n", listed);
  } else {
    texts.scenario.insert(texts.scenario.find("networks:"), listed);
  }
  std::istringstream rows(texts.profile);
  std::string row;
  std::getline(rows, row);
  std::string added;
  std::set<std::string> seen;
  while (std::getline(rows, row)) {  // network,layer,accelerator,latency,...,alive
    const std::size_t kind = row.find(',', row.find(',') + 1) + 1;
    if (!seen.insert(row.substr(0, kind)).second || (seen.size() > 1 && random.Below(5) == 0))
      continue;
    std::size_t after = kind;
    for (int i = 0; i < 4; ++i) after = row.find(',', after) + 1;
    added += fmt::format("{}other,{},{},0,{},1,1,{}\n", row.substr(0, kind), 1 + random.Below(50),
                         random.Below(200), row.substr(after, row.find(',', after) - after),
                         row.substr(row.rfind(',') + 1));
  }
  texts.profile += added;
  for (std::uint64_t i = 0; i < count; ++i)
    SendAway(texts, count == 1 ? "other" : fmt::format("other.{}", i));
  return texts;
}

// The same world with one more of the first kind that has several, which is away; as it is where
// there is none.
RandomWorldTexts WithOneMore(RandomWorldTexts texts) {
  const std::string mark = ", count: ";
  for (std::size_t at = texts.scenario.find(mark); at != std::string::npos;
       at = texts.scenario.find(mark, at + 1)) {
    char& count = texts.scenario[at + mark.size()];
    if (count == '1') continue;
    const std::size_t kind = texts.scenario.rfind("kind: ", at) + 6;
    const std::string name =
        fmt::format("{}.{}", texts.scenario.substr(kind, at - kind), count - '0');
    ++count;
    SendAway(texts, name);
    break;
  }
  return texts;
}

class AbsenceTest : public ::testing::TestWithParam<std::string> {};

TEST_P(AbsenceTest, WhatIsAwayFromTheStartIsAsIfItWereNotListed) {
  for (std::uint64_t seed = 0; seed < kWorlds; ++seed) {
    const RandomWorldTexts texts = DrawExactWorld(seed);
    RandomStream random(seed, "absence");
    const RandomWorldTexts with =
        seed % 3 == 0 ? WithOneMore(texts) : WithAnotherKind(texts, random);
    const auto world = BuildRandomWorld(texts);
    const auto world_with = BuildRandomWorld(with);
    SimulatedRun run(*world, GetParam(), seed);
    SimulatedRun run_with(*world_with, GetParam(), seed);
    ASSERT_TRUE(run.Run().has_value());
    ASSERT_TRUE(run_with.Run().has_value());
    ASSERT_EQ(run.Outcomes(), run_with.Outcomes())
        << "in world " << seed << "\n"
        << with.scenario << with.profile << with.requests;
    ASSERT_EQ(run.Timeline(), run_with.Timeline()) << "in world " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, AbsenceTest, ::testing::ValuesIn(PolicySpecs()),
                         [](const auto& test) { return TestName(test.param); });

}  // namespace
}  // namespace fairlead::testing
