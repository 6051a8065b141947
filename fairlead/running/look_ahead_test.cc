#include "fairlead/running/look_ahead.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "fairlead/interference/interference_model.h"
#include "fairlead/simulation/simulator.h"
#include "fairlead/workload/request_source.h"

namespace fairlead {
namespace {

using std::chrono::microseconds;

// Starts what has waited so long.
class StartsAfter final : public SchedulingPolicy {
 public:
  explicit StartsAfter(Duration wait) : wait_(wait) {}
  std::string_view Name() const override { return wait_ > Duration{} ? "late" : "at-once"; }
  void Decide(const SystemView& view, SchedulingPlan& plan) override {
    if (view.ready().empty() || view.accelerators()[0].free_units == 0) return;
    const ReadySegment& first = view.ready().front();
    if (view.now() - first.since >= wait_) {
      plan.Start(AcceleratorId{0}, first.job, first.segment);
    } else {
      plan.Wake(first.since + wait_);
    }
  }

 private:
  Duration wait_;
};

Result<std::unique_ptr<SchedulingPolicy>> MakeStarter(std::string_view name) {
  return std::make_unique<StartsAfter>(name == "late" ? microseconds(50) : Duration{});
}

// A request every 70 microseconds, with 30 to its deadline; each takes 10.
class LookAheadTest : public ::testing::Test {
 protected:
  LookAheadTest() {
    platform_.AddKind("npu", 1);
    networks_.push_back(NetworkGraph::Chain("net", 1));
    costs_.emplace(networks_, platform_);
    costs_->Set(NetworkId{0}, SegmentId{0}, KindId{0}, {1, 1}, {microseconds(10)});
    costs_->Seal(networks_);
    setup_.world = {
        .platform = &platform_,
        .networks = networks_,
        .beliefs = &*costs_,
        .tenants = {{.name = "t"}},
        .agreements = {{.tenant = TenantId{0}, .network = NetworkId{0}, .target = 0.9}}};
    setup_.truth = &*costs_;
    setup_.interference = interference_.get();
    setup_.policies = &MakeStarter;
    std::vector<Request> list;
    for (int i = 0; i < 200; ++i) {
      list.push_back({.number = list.size(),
                      .agreement = AgreementId{0},
                      .arrival = Instant{} + i * microseconds(70),
                      .deadline = microseconds(30)});
    }
    requests_.emplace(std::move(list));
    setup_.requests = &*requests_;
  }

  LookAhead::Setup Choosing(std::vector<std::string> policies,
                            LookAhead::Judges judges = LookAhead::Judges::kAtOnce) const {
    return {.policy = "some",
            .options_of = [policies](std::string_view name) -> std::optional<LookAheadOptions> {
              if (name != "some") return std::nullopt;
              return LookAheadOptions{.policies = policies};
            },
            .policies = &MakeStarter,
            .interference = [] { return MakeBandwidthSharing(Sharing::kNone, 0); },
            .engine = {},
            .judges = judges};
  }

  std::int64_t Hits(const Simulator& simulator) const {
    return simulator.engine().state().ledger.Current(AgreementId{0}).hits();
  }

  Platform platform_;
  std::vector<NetworkGraph> networks_;
  std::optional<CostTable> costs_;
  std::unique_ptr<InterferenceModel> interference_ = MakeBandwidthSharing(Sharing::kNone, 0);
  std::optional<ListedRequests> requests_;
  SimulationSetup setup_;
};

TEST_F(LookAheadTest, PutsTheOneInChargeThatKeepsThePromise) {
  LookAhead look_ahead(Choosing({"late", "at-once"}));
  setup_.advisor = &look_ahead;
  Simulator simulator(setup_, *MakeStarter("late"));
  ASSERT_TRUE(simulator.Run().has_value());
  EXPECT_EQ(simulator.engine().policy_name(), "at-once");
  // Judged after 32 requests, at 2.17 ms. 2 x 128 segments are simulated, which takes 257 us: the
  // 36th request arrives after that.
  EXPECT_EQ(Hits(simulator), 200 - 36 + 1);
}

TEST_F(LookAheadTest, LeavesTheBestInCharge) {
  LookAhead look_ahead(Choosing({"at-once", "late"}));
  setup_.advisor = &look_ahead;
  Simulator simulator(setup_, *MakeStarter("at-once"));
  ASSERT_TRUE(simulator.Run().has_value());
  EXPECT_EQ(Hits(simulator), 200);
}

TEST_F(LookAheadTest, IsSilentOnceAnotherPolicyWasChosen) {
  LookAhead look_ahead(Choosing({"late", "at-once"}));
  setup_.advisor = &look_ahead;
  setup_.timeline = {{Instant{} + microseconds(100), PolicyChange{"late"}},
                     {Instant{} + microseconds(200), PolicyChange{"another"}}};
  setup_.policies = [](std::string_view name) {
    return MakeStarter(name == "another" ? "late" : name);
  };
  Simulator simulator(setup_, *MakeStarter("late"));
  ASSERT_TRUE(simulator.Run().has_value());
  EXPECT_EQ(simulator.engine().policy_name(), "late");
}

TEST_F(LookAheadTest, JudgesBesideTheRun) {
  LookAhead look_ahead(Choosing({"late", "at-once"}, LookAhead::Judges::kOnAThread));
  Simulator simulator(setup_, *MakeStarter("late"));
  ASSERT_TRUE(simulator.Run().has_value());
  for (int i = 99; i >= 0; --i) {  // read in another order than they arrived
    look_ahead.NoteInput(Arrival{{.agreement = AgreementId{0},
                                  .arrival = Instant{} + i * microseconds(70),
                                  .deadline = microseconds(30)}});
  }
  EXPECT_EQ(look_ahead.Advise(simulator.engine()), std::nullopt);
  std::optional<std::string> advice;
  while (!advice.has_value()) {
    std::this_thread::yield();
    advice = look_ahead.Advise(simulator.engine());
  }
  EXPECT_EQ(advice, "at-once");
}

}  // namespace
}  // namespace fairlead
