// Progress that settles only what changed, against a tracker that computes everything anew.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fairlead/base/random.h"
#include "fairlead/simulation/progress.h"

namespace fairlead {
namespace {

// The naive tracker: settles everything and computes every rate and every finish anew at every
// instant at which anything happens.
class NaiveTracker {
 public:
  explicit NaiveTracker(InterferenceModel& model) : model_(model) {}

  void AdvanceTo(Instant now) {
    const auto passed = static_cast<Work>((now - now_).count());
    for (Item& item : items_) item.left -= std::min(item.left, passed * item.rate);
    now_ = now;
  }
  void Add(AssignmentId id, const RunningSegment& segment, Duration latency) {
    items_.push_back({id, segment, latency, WorkOf(latency), 0});
  }
  void Remove(AssignmentId id) {
    std::erase_if(items_, [&](const Item& item) { return item.id == id; });
  }
  void Resize(AssignmentId id, const RunningSegment& segment, Duration latency) {
    Item& item = *std::ranges::find(items_, id, &Item::id);
    const auto before = static_cast<Work>(item.latency.count());
    const auto after = static_cast<Work>(latency.count());
    if (before > 0) item.left = (item.left * after + before - 1) / before;
    item.segment = segment;
    item.latency = latency;
  }
  void Update() {
    std::vector<RunningSegment> running;
    for (const Item& item : items_) running.push_back(item.segment);
    std::vector<Rate> rates(running.size());
    if (!running.empty()) model_.Rates(running, rates);
    for (std::size_t i = 0; i < items_.size(); ++i) items_[i].rate = rates[i];
  }
  Instant NextFinish() const {
    Instant next = kNever;
    for (const Item& item : items_) next = std::min(next, FinishOf(item));
    return next;
  }
  std::vector<AssignmentId> Finishing() const {
    std::vector<AssignmentId> ids;
    for (const Item& item : items_) {
      if (FinishOf(item) == NextFinish()) ids.push_back(item.id);
    }
    return ids;
  }

 private:
  struct Item {
    AssignmentId id;
    RunningSegment segment;
    Duration latency;
    Work left;
    Rate rate;
  };
  Instant FinishOf(const Item& item) const {
    return now_ + Duration{static_cast<std::int64_t>((item.left + item.rate - 1) / item.rate)};
  }

  InterferenceModel& model_;
  Instant now_{};
  std::vector<Item> items_;  // in order of starting
};

// One random world, in which both trackers must agree at every instant.
class World {
 public:
  World(std::uint64_t seed, Sharing sharing)
      : random_(seed, "progress"),
        model_(MakeBandwidthSharing(sharing,
                                    static_cast<std::int64_t>(1 + random_.Below(64'000'000'000)))),
        lazy_(*model_),
        naive_(*model_),
        longest_(1 + random_.Below(random_.Below(2) == 0 ? 50 : 10'000'000)) {}

  // Says where they differ; empty when they never do.
  std::string Run(int instants) {
    for (int i = 0; i < instants; ++i) {
      const Instant finish = lazy_.NextFinish();
      if (finish != kNever && random_.Below(2) == 0) {
        now_ = finish;
      } else {
        now_ = std::min(now_ + Duration{random_.Below(longest_ / 2 + 1)}, finish);
      }
      naive_.AdvanceTo(now_);
      if (now_ == finish) Finish();
      for (std::uint64_t change = random_.Below(3); change > 0; --change) Change();
      lazy_.Update(now_);
      naive_.Update();
      if (lazy_.NextFinish() != naive_.NextFinish())
        return fmt::format("instant {}: next finish {}, naively {}", i,
                           Nanoseconds(lazy_.NextFinish()), Nanoseconds(naive_.NextFinish()));
      if (LazyFinishing() != naive_.Finishing())
        return fmt::format("instant {}: other segments finish", i);
    }
    return "";
  }

 private:
  std::vector<AssignmentId> LazyFinishing() {
    std::vector<AssignmentId> ids;
    if (lazy_.NextFinish() == kNever) return ids;
    for (const auto& completion : lazy_.Finishing()) ids.push_back(completion.id);
    return ids;
  }
  // Takes away what is due, or only some of it: the rest stays due.
  void Finish() {
    for (AssignmentId id : LazyFinishing()) {
      if (random_.Below(4) > 0) Remove(id);
    }
  }
  void Change() {
    const std::uint64_t choice = random_.Below(10);
    if (ids_.empty() || (choice < 5 && ids_.size() < 12)) return Add();
    const AssignmentId id = ids_[random_.Below(ids_.size())];
    if (choice < 7) return Remove(id);
    const RunningSegment segment = RandomSegment();
    const Duration latency = RandomLatency();
    lazy_.Resize(id, segment, latency, now_);
    naive_.Resize(id, segment, latency);
  }
  void Add() {
    const AssignmentId id{next_++, 0};
    const RunningSegment segment = RandomSegment();
    const Duration latency = RandomLatency();
    ids_.push_back(id);
    lazy_.Add(id, segment, latency, now_);
    naive_.Add(id, segment, latency);
  }
  void Remove(AssignmentId id) {
    std::erase(ids_, id);
    lazy_.Remove(id);
    naive_.Remove(id);
  }
  Duration RandomLatency() { return Duration{random_.Below(longest_ + 1)}; }
  RunningSegment RandomSegment() {
    const auto demand = [&] { return Demand{random_.Below(32'000'000'000)} << kDemandBits; };
    return {.demand = random_.Below(4) == 0 ? 0 : demand(),
            .cap = random_.Below(3) == 0 ? demand() : UINT64_MAX};
  }

  RandomStream random_;
  std::unique_ptr<InterferenceModel> model_;
  ProgressTracker lazy_;
  NaiveTracker naive_;
  std::uint64_t longest_;  // latency
  Instant now_{};
  std::uint32_t next_ = 0;
  std::vector<AssignmentId> ids_;
};

class RandomWorlds : public ::testing::TestWithParam<Sharing> {};

INSTANTIATE_TEST_SUITE_P(Rules, RandomWorlds,
                         ::testing::Values(Sharing::kNone, Sharing::kProportional,
                                           Sharing::kMaxMin),
                         [](const auto& rule) {
                           std::string name(ToString(rule.param));
                           std::erase(name, '-');
                           return name;
                         });

TEST_P(RandomWorlds, AgreeWithTheNaiveTrackerToTheNanosecond) {
  for (std::uint64_t seed = 0; seed < 2'000; ++seed)
    ASSERT_EQ(World(seed, GetParam()).Run(60), "") << "world " << seed;
}

}  // namespace
}  // namespace fairlead
