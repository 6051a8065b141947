#include "fairlead/policies/bound_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fairlead/base/random.h"

namespace fairlead {
namespace {

struct Least {
  int least = INT_MAX;
  void Merge(const Least& other) { least = std::min(least, other.least); }
  friend bool operator==(const Least&, const Least&) = default;
};
using Tree = BoundTree<int, Least>;

// What the parts of a node know, item by item; each node knows the least of its parts.
std::vector<int> Items(const Tree& tree, Tree::Node node) {
  const int least = tree.BoundsOf(node).least;
  if (node.level == 0) return least == INT_MAX ? std::vector<int>{} : std::vector<int>{least};
  std::vector<int> items;
  tree.VisitParts(node, [&](Tree::Node part) {
    for (int item : Items(tree, part)) items.push_back(item);
  });
  EXPECT_EQ(least, items.empty() ? INT_MAX : *std::ranges::min_element(items));
  return items;
}

struct Known {
  int item = 0;
  int value = 0;
};

class BoundTreeTest : public ::testing::Test {
 protected:
  void Push(int value) {
    if (tree_.IsFull()) tree_.MakeRoom();
    tree_.Push(++last_, {value});
    known_.push_back({last_, value});
  }
  std::uint32_t PlaceOf(int item) {
    std::uint32_t found = UINT32_MAX;
    tree_.VisitItems([&](int at, std::uint32_t place) {
      if (at == item) found = place;
    });
    return found;
  }
  void ExpectAllKnown() {
    std::vector<int> values;
    std::vector<int> items;
    for (const Known& known : known_) {
      values.push_back(known.value);
      items.push_back(known.item);
    }
    std::vector<int> seen;
    tree_.VisitItems([&](int item, std::uint32_t) { seen.push_back(item); });
    EXPECT_EQ(seen, items);
    EXPECT_EQ(tree_.size(), items.size());
    EXPECT_EQ(Items(tree_, tree_.Root()), values);
  }

  Tree tree_;
  int last_ = 0;
  std::vector<Known> known_;  // in order of their coming
};

TEST_F(BoundTreeTest, KnowsTheLeastOfEachPart) {
  RandomStream random(1, "bound tree");
  std::size_t most = 0;
  for (int step = 0; step < 6'000; ++step) {
    const bool grows = step % 2'000 < 1'000;
    const std::uint64_t action = random.Below(10);
    if (known_.empty() || action < (grows ? 6U : 3U)) {
      Push(static_cast<int>(random.Below(1'000)));
    } else if (action < 8) {
      const auto at = static_cast<std::ptrdiff_t>(random.Below(known_.size()));
      tree_.Remove(PlaceOf(known_[static_cast<std::size_t>(at)].item));
      known_.erase(known_.begin() + at);
    } else {
      Known& known = known_[random.Below(known_.size())];
      known.value = static_cast<int>(random.Below(1'000));
      tree_.Set(PlaceOf(known.item), {known.value});
    }
    most = std::max(most, known_.size());
    if (step % 20 == 0) ExpectAllKnown();
    ASSERT_FALSE(HasFailure()) << "at step " << step;
  }
  EXPECT_GT(most, 2 * Tree::kFan * Tree::kFan);
  EXPECT_GT(last_, 1'000);  // so that places were used again
}

TEST_F(BoundTreeTest, CanBeCleared) {
  for (int i = 0; i < 100; ++i) Push(i);
  tree_.Clear();
  known_.clear();
  ExpectAllKnown();
  Push(7);
  ExpectAllKnown();
}

}  // namespace
}  // namespace fairlead
