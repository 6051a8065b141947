#include "fairlead/running/experiments.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "fairlead/scenario/experiment_card.h"
#include "fairlead/scenario/files.h"

namespace fairlead {
namespace {

TEST(ExperimentsTest, EachHasItsFolderAndEachFolderItsExperiment) {
  std::set<std::string> folders;
  for (const auto& entry : std::filesystem::directory_iterator("experiments")) {
    if (entry.is_directory()) folders.insert(entry.path().filename());
  }
  for (const Experiment& experiment : Experiments()) {
    const auto card = ReadExperimentCard(experiment.name);
    ASSERT_TRUE(card.has_value()) << card.error().message;
    EXPECT_EQ(folders.erase(card->name), 1u) << card->name;
    EXPECT_EQ(FindExperiment(card->name)->name, experiment.name);
    EXPECT_FALSE(card->expected.empty()) << card->name;
    EXPECT_FALSE(card->expected_quick.empty()) << card->name;
    const auto readme = ReadFile("experiments/" + card->name + "/README.md");
    ASSERT_TRUE(readme.has_value()) << readme.error().message;
    EXPECT_NE(readme->find("fairlead experiment " + card->name), std::string::npos) << card->name;
  }
  EXPECT_TRUE(folders.empty()) << *folders.begin();
  EXPECT_EQ(FindExperiment("no-such"), nullptr);
}

TEST(ExperimentsTest, ACardSaysEverything) {
  const std::string card = "{question: q, refuted_by: r, time: t, quick_time: u}";
  const std::string expected = R"({"version": 1, "full": {"a/b": {"value": 2, "tolerance": 0.5}}})";
  const auto read = ParseExperimentCard("x", card, expected);
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(read->expected.at(0).name, "a/b");
  EXPECT_EQ(read->expected.at(0).tolerance, 0.5);
  EXPECT_TRUE(read->expected_quick.empty());
  EXPECT_FALSE(ParseExperimentCard("x", "{question: q}", expected).has_value());
  EXPECT_FALSE(ParseExperimentCard("x", card, R"({"version": 2})").has_value());
  EXPECT_FALSE(
      ParseExperimentCard("x", card, R"({"version": 1, "full": {"a": {"value": 2}}})").has_value());
}

}  // namespace
}  // namespace fairlead
