#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fairlead/execution/loaded_networks.h"

namespace fairlead {
namespace {

TEST(StableList, KeepsEntriesWhereTheyAre) {
  StableList<std::string> list;
  EXPECT_TRUE(list.empty());
  std::vector<const std::string*> places;
  for (int i = 0; i < 1000; ++i) places.push_back(&list.Add(std::to_string(i)));
  ASSERT_EQ(list.size(), 1000U);
  for (std::size_t i = 0; i < list.size(); ++i) {
    EXPECT_EQ(&list[i], places[i]);
    EXPECT_EQ(list[i], std::to_string(i));
  }
}

TEST(StableList, TheLastMayGoAndAnotherCome) {
  StableList<std::string> list;
  for (int i = 0; i < 17; ++i) list.Add("old");
  list.RemoveLast();
  EXPECT_EQ(list.size(), 16U);
  EXPECT_EQ(list.Add("new"), "new");
  EXPECT_EQ(list[16], "new");
}

TEST(StableList, IsWalkedInOrder) {
  StableList<int> list;
  for (int i = 0; i < 50; ++i) list.Add(i);
  int next = 0;
  for (const int entry : list) EXPECT_EQ(entry, next++);
  EXPECT_EQ(next, 50);
}

}  // namespace
}  // namespace fairlead
