#include "fairlead/execution/onednn/implementations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fairlead {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Stands in for oneDNN's descriptions: offers some names, one after another.
class Offer {
 public:
  explicit Offer(std::vector<std::string> names) : names_(std::move(names)) {}

  explicit operator bool() const { return !names_.empty(); }
  const char* impl_info_str() const { return names_.front().c_str(); }
  bool next_impl() {
    if (names_.size() < 2) return false;
    names_.erase(names_.begin());
    return true;
  }

 private:
  std::vector<std::string> names_;
};

template <typename Make>
std::vector<std::string> NamesOf(const ImplementationFilter& filter, const Make& make) {
  std::vector<std::string> visited;
  ForEachImplementation(filter, make,
                        [&](const Offer&, const std::string& name) { visited.push_back(name); });
  return visited;
}

Offer Three() { return Offer({"jit:avx2", "jit:sse41", "ref:any"}); }

TEST(ForEachImplementation, VisitsAllButReferences) {
  EXPECT_THAT(NamesOf({}, &Three), ElementsAre("jit:avx2", "jit:sse41"));
}

TEST(ForEachImplementation, KeepsBelowTheCap) {
  EXPECT_THAT(NamesOf({.cap = InstructionCap::kSse41}, &Three), ElementsAre("jit:sse41"));
}

TEST(ForEachImplementation, EndsWithTheLastThatWasAskedFor) {
  EXPECT_THAT(NamesOf({.last = "jit:avx2"}, &Three), ElementsAre("jit:avx2"));
}

TEST(ForEachImplementation, VisitsNothingWhereNothingIsOffered) {
  EXPECT_THAT(NamesOf({}, [] { return Offer({}); }), IsEmpty());
}

TEST(ForEachImplementation, LeavesOutWhatIsOfferedOnlyOnce) {
  int made = 0;
  const auto make = [&] { return ++made == 1 ? Three() : Offer({"jit:avx2", "ref:any"}); };
  EXPECT_THAT(NamesOf({}, make), ElementsAre("jit:avx2"));
}

TEST(FindImplementation, StandsAtTheName) {
  EXPECT_STREQ(FindImplementation(&Three, "jit:sse41")->impl_info_str(), "jit:sse41");
}

TEST(FindImplementation, FindsNothingThatIsNotOffered) {
  EXPECT_EQ(FindImplementation(&Three, "jit:avx512"), nullptr);
}

}  // namespace
}  // namespace fairlead
