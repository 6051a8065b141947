// Runs the scenario tests: each .txt file here is a small world, a policy, and the exact timeline
// and outcomes that it must produce. README.md explains the format.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "fairlead/world/policy_registry.h"
#include "tests/support/simulated_run.h"

namespace fairlead::testing {
namespace {

constexpr const char* kFolder = "tests/scenarios";

std::vector<std::string> ScenarioNames() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".txt") names.push_back(entry.path().stem());
  }
  std::ranges::sort(names);
  return names;
}

// Sections begin with "== name"; what stands before the first is prose.
std::map<std::string, std::string> ReadSections(const std::string& name) {
  std::ifstream file(fmt::format("{}/{}.txt", kFolder, name));
  std::map<std::string, std::string> sections;
  std::string section = "prose";
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("== ")) {
      section = line.substr(3);
    } else if (!line.empty()) {
      sections[section] += fmt::format("{}\n", line);
    }
  }
  return sections;
}

class ScenarioTest : public ::testing::TestWithParam<std::string> {};

TEST_P(ScenarioTest, ProducesItsTimeline) {
  auto sections = ReadSections(GetParam());
  ASSERT_FALSE(sections["prose"].empty()) << "say what the scenario shows";
  ASSERT_FALSE(sections["policy"].empty());
  std::string policy = sections["policy"];
  policy.pop_back();
  auto world = sections.contains("scenario")
                   ? WorldOfTexts(sections["scenario"], sections["profile"], sections["requests"])
                   : BareWorldOfTexts(sections["profile"], sections["requests"], sections["plan"]);
  ASSERT_TRUE(world.has_value()) << world.error().message;
  SimulatedRun run(**world, policy, 1);
  const Status status = run.Run();
  ASSERT_TRUE(status.has_value()) << status.error().message;
  EXPECT_EQ(run.Timeline(), sections["timeline"]);
  EXPECT_EQ(run.Outcomes(), sections["outcomes"]);
  EXPECT_EQ(run.GuardActs(), sections["guard"]);
  EXPECT_EQ(run.Sacrifices(), sections["sacrifices"]);
}

INSTANTIATE_TEST_SUITE_P(All, ScenarioTest, ::testing::ValuesIn(ScenarioNames()),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::ranges::replace_if(
                               name, [](char c) { return !std::isalnum(c); }, '_');
                           return name;
                         });

TEST(Policies, HaveAScenarioTest) {
  std::vector<std::string> tested;
  for (const std::string& name : ScenarioNames()) {
    std::string policy = ReadSections(name)["policy"];
    tested.push_back(policy.substr(0, policy.find_first_of(":\n")));
  }
  for (const PolicyEntry& policy : Policies()) {
    EXPECT_NE(std::ranges::find(tested, policy.name), tested.end())
        << policy.name << " lacks a file in " << kFolder;
  }
}

// A page as one line, so that it does not matter where its lines break.
std::string PageOf(const PolicyEntry& policy) {
  std::ifstream file(fmt::format("docs/policies/{}.md", policy.name));
  std::string page;
  for (std::string word; file >> word;) page += word + ' ';
  return page;
}

std::string Stated(const OptionInfo& option) {
  return fmt::format("`{}={}` (default `{}`)", option.key, option.values, option.default_value);
}

// The page of fcfs-h states in full what other pages call the usual options.
bool IsUsual(const OptionInfo& option) {
  for (const OptionInfo& usual : Policies().front().options) {
    if (Stated(option) == Stated(usual)) return true;
  }
  return false;
}

TEST(Policies, HaveAPageWithTheirOptionsAndDefaults) {
  for (const PolicyEntry& policy : Policies()) {
    const std::string page = PageOf(policy);
    EXPECT_FALSE(page.empty()) << policy.name << " has no page";
    for (const OptionInfo& option : policy.options) {
      const bool in_full = page.find(Stated(option)) != std::string::npos;
      const std::size_t usual = page.find("he usual `");
      const bool by_key = IsUsual(option) && usual != std::string::npos &&
                          page.find(fmt::format("`{}`", option.key), usual) != std::string::npos;
      EXPECT_TRUE(in_full || by_key) << policy.name << " lacks " << Stated(option);
    }
  }
}

TEST(Policies, HaveNoOtherOptionsOnTheirPages) {
  const std::regex stated("`[a-z]+=[^`]+` \\(default `[^`]+`\\)");
  for (const PolicyEntry& policy : Policies()) {
    const std::string page = PageOf(policy);
    std::vector<std::string> known;
    for (const OptionInfo& option : policy.options) known.push_back(Stated(option));
    for (auto at = std::sregex_iterator(page.begin(), page.end(), stated);
         at != std::sregex_iterator(); ++at) {
      EXPECT_NE(std::ranges::find(known, at->str()), known.end())
          << policy.name << " has no " << at->str();
    }
  }
}

}  // namespace
}  // namespace fairlead::testing
