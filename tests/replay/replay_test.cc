// Whatever happens in a simulated world, its recording replays to the same decisions under every
// policy, and nothing that a file says can bring the program down.
#include "fairlead/recording/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "fairlead/base/random.h"
#include "fairlead/interference/interference_model.h"
#include "fairlead/policies/list_policy.h"
#include "fairlead/policies/random.h"
#include "fairlead/policies/temporal_rule.h"
#include "fairlead/recording/recording_writer.h"
#include "fairlead/recording/why.h"
#include "fairlead/simulation/simulator.h"
#include "fairlead/workload/request_source.h"

namespace fairlead {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

Result<std::unique_ptr<SchedulingPolicy>> MakePolicy(std::string_view name, std::uint64_t seed) {
  const RandomStream random(seed, "policy");
  std::unique_ptr<TemporalRule> rule;
  ListPolicyOptions options;
  if (name == "random") return MakeRandomPolicy("random", {}, random);
  if (name == "fcfs") rule = MakeFirstComeFirstServed();
  if (name == "sjf") rule = MakeShortestJobFirst();
  if (name == "least-laxity") rule = MakeLeastLaxityFirst();
  if (name == "round-robin") rule = MakeTenantRoundRobin();
  if (name == "edf" || name == "edf:drop=early") rule = MakeEarliestDeadlineFirst();
  if (rule == nullptr) return Fail("unknown policy '{}'", name);
  if (name == "edf:drop=early") options.drop = DropRule::kEarly;
  return MakeListPolicy(std::string(name), std::move(rule), options, random);
}

const ReplayPolicyFactory kPolicies = [](std::string_view name, const Recording& recording) {
  return MakePolicy(name, recording.header().seed);
};

// A random world with three kinds of accelerator, chains and a diamond, tenants that come and go,
// accelerators that fail, late jobs that are dropped, and decisions that cost time, each in some of
// the worlds.
class RandomWorld {
 public:
  explicit RandomWorld(std::uint64_t seed) : seed_(seed), random_(seed, "world") {
    platform_.AddKind("big", 1);
    platform_.AddKind("small", 2 + static_cast<int>(random_.Below(2)));
    platform_.AddKind("wide", 1, 4);
    platform_.bandwidth = 1'000'000'000;
    networks_.push_back(NetworkGraph::Chain("chain", 3));
    networks_.push_back(NetworkGraph::Chain("single", 1));
    networks_.push_back(*NetworkGraph::Create(
        "diamond", {{"top", {}}, {"left", {0}}, {"right", {0}}, {"join", {1, 2}}}));
    truth_.emplace(networks_, platform_);
    for (std::size_t n = 0; n < networks_.size(); ++n) {
      for (std::size_t s = 0; s < networks_[n].size(); ++s) {
        for (std::size_t k = 0; k < platform_.kinds.size(); ++k) {
          const auto latency = static_cast<std::int64_t>(1000 + random_.Below(20'000));
          truth_->Set(NetworkId{n}, SegmentId{s}, KindId{k}, {platform_.kinds[k].units, 1},
                      {Duration{latency}, static_cast<std::int64_t>(random_.Below(40'000)), 5});
        }
      }
    }
    if (random_.Below(2) == 0) truth_->SetSwitching(KindId{0}, {Duration{500}, 100, 1});
    if (random_.Below(2) == 0) SetHandOvers();
    truth_->Seal(networks_);
    beliefs_.emplace(truth_->Perturbed(networks_, platform_, {.noise = 0.2}, random_.Bits()));
  }

  void SetHandOvers() {
    HandOverCosts costs(platform_.kinds.size());
    for (std::size_t to = 0; to < costs.kinds(); ++to) {
      costs.SetHandOver(KindId{to}, Duration{100});
      costs.SetTakeOver(KindId{to}, Duration{static_cast<std::int64_t>(random_.Below(2'000))});
      for (std::size_t from = 0; from < costs.kinds(); ++from)
        costs.SetMove(KindId{from}, KindId{to}, {Duration{300}, 1'000'000'000});
    }
    truth_->SetHandOvers(std::move(costs));
    for (std::size_t n = 0; n < networks_.size(); ++n) {
      for (std::size_t s = 0; s < networks_[n].size(); ++s)
        truth_->SetAliveBytes(NetworkId{n}, SegmentId{s},
                              static_cast<std::int64_t>(random_.Below(5'000)));
    }
  }

  // The text of the recording.
  std::string Record(const std::string& policy) {
    SimulationSetup setup;
    setup.world = {.platform = &platform_,
                   .networks = networks_,
                   .beliefs = &*beliefs_,
                   .tenants = {{"a", 1}, {"b", 2}},
                   .agreements = Agreements()};
    setup.engine.late = random_.Below(3) == 0 ? LateJobs::kDrop : LateJobs::kFinish;
    setup.engine.period = Duration{random_.Below(3) == 0 ? 7000 : 0};
    setup.engine.measured_from = AtNanoseconds(50'000);
    const auto interference = MakeBandwidthSharing(Sharing::kMaxMin, platform_.bandwidth);
    ListedRequests requests(Requests());
    setup.truth = &*truth_;
    setup.interference = interference.get();
    setup.requests = &requests;
    setup.timeline = Timeline();
    if (random_.Below(3) == 0) setup.charge = {.fixed = Duration{300}, .per_ready = Duration{50}};
    if (random_.Below(3) == 0) setup.charge.accelerator = AcceleratorId{0};
    setup.policies = [this](std::string_view name) { return MakePolicy(name, seed_); };
    setup.policy = policy;
    if (random_.Below(3) == 0) Guard(setup);
    std::ostringstream stream;
    auto made = MakePolicy(policy, seed_);
    RecordingHeader header;
    header.seed = seed_;
    header.policy = policy;
    header.policy_name = (*made)->Name();
    header.engine = setup.engine;
    RecordingWriter writer(stream, header, setup.world);
    setup.recorder = &writer;
    Simulator simulator(setup, std::move(*made));
    const Status status = simulator.Run();
    EXPECT_TRUE(status.has_value()) << status.error().message;
    EXPECT_TRUE(writer.Close().has_value());
    return stream.str();
  }

 private:
  static constexpr std::int64_t kHorizon = 400'000;

  void Guard(SimulationSetup& setup) const {
    setup.engine.wrong_plan = WrongPlan::kSkip;
    setup.charge.per_ready = Duration{50};
    setup.guard = GuardOptions{.fallback = "least-laxity",
                               .decision = Duration{150},
                               .idle = Duration{1000},
                               .strikes = 2,
                               .within = Duration{50'000},
                               .back = Duration{30'000}};
  }

  std::vector<ServiceAgreement> Agreements() const {
    std::vector<ServiceAgreement> agreements;
    for (std::size_t n = 0; n < networks_.size(); ++n)
      agreements.push_back({.tenant = TenantId{n % 2},
                            .network = NetworkId{n},
                            .deadline = Duration{40'000},
                            .target = 0.8,
                            .window = 10,
                            .max_misses = 2});
    return agreements;
  }

  std::vector<Request> Requests() {
    std::vector<Request> requests;
    std::int64_t now = 0;
    while (now < kHorizon) {
      now += static_cast<std::int64_t>(random_.Below(12'000));
      requests.push_back(
          {.number = 100 + requests.size(),
           .agreement = AgreementId{random_.Below(networks_.size())},
           .arrival = AtNanoseconds(now),
           .deadline = Duration{10'000 + static_cast<std::int64_t>(random_.Below(80'000))}});
    }
    return requests;
  }

  std::vector<TimedInput> Timeline() {
    std::vector<TimedInput> timeline;
    const auto add = [&timeline](std::int64_t at, Input input) {
      timeline.push_back({AtNanoseconds(at), std::move(input)});
    };
    if (random_.Below(2) == 0) {
      add(100'000, AcceleratorLoss{AcceleratorId{1}});
      add(180'000, AcceleratorReturn{AcceleratorId{1}});
    }
    if (random_.Below(2) == 0) {
      add(200'000, TenantJoin{{"late", 1}});
      add(200'000, AgreementStart{{.tenant = TenantId{2}, .network = NetworkId{0}}});
      add(220'000, AgreementChange{
                       AgreementId{0},
                       {.tenant = TenantId{0}, .network = NetworkId{0}, .deadline = Duration{1}}});
      add(300'000, TenantLeave{TenantId{2}});
    }
    if (random_.Below(2) == 0) add(250'000, PolicyChange{"fcfs"});
    if (random_.Below(4) == 0)
      add(300'000, GuardRules{{.fallback = "sjf", .decision = Duration{1}}});
    return timeline;
  }

  std::uint64_t seed_;
  RandomStream random_;
  Platform platform_;
  std::vector<NetworkGraph> networks_;
  std::optional<CostTable> truth_;
  std::optional<CostTable> beliefs_;
};

Recording Read(const std::string& text) {
  auto recording = ReadRecording("f.rec", text);
  EXPECT_TRUE(recording.has_value()) << recording.error().message;
  return std::move(*recording);
}

class ReplayOf : public testing::TestWithParam<std::string> {};

TEST_P(ReplayOf, RandomWorldsIsIdentical) {
  std::uint64_t decisions = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Recording recording = Read(RandomWorld(seed).Record(GetParam()));
    const auto report = Replay(recording, kPolicies);
    ASSERT_TRUE(report.has_value()) << report.error().message;
    EXPECT_TRUE(report->identical()) << "seed " << seed << "\n" << ToText(*report);
    decisions += report->decisions;
    EXPECT_EQ(report->policy_then, report->policy_now);
  }
  EXPECT_GT(decisions, 1000U);
}

INSTANTIATE_TEST_SUITE_P(Policies, ReplayOf,
                         testing::Values("fcfs", "edf", "edf:drop=early", "sjf", "least-laxity",
                                         "round-robin", "random"));

TEST(Replay, OfAnotherSeedOrPolicyDiffers) {
  std::string text = RandomWorld(1).Record("random");
  const auto report = Replay(Read(text), [](std::string_view name, const Recording& recording) {
    return MakePolicy(name, recording.header().seed + 1);
  });
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_FALSE(report->identical());

  const auto other = Replay(Read(text), [](std::string_view, const Recording& recording) {
    return MakePolicy("edf", recording.header().seed);
  });
  ASSERT_TRUE(other.has_value()) << other.error().message;
  EXPECT_FALSE(other->identical());
  EXPECT_THAT(ToText(*other), HasSubstr("was called 'random' and is now 'edf'"));
}

TEST(Replay, FindsATamperedPlan) {
  const std::string text = RandomWorld(2).Record("edf");
  // The accelerator of the fifth start becomes another one.
  std::size_t at = 0;
  for (int i = 0; i < 5; ++i) at = text.find("\n> ", at) + 1;
  ASSERT_NE(at, 0U);
  std::string tampered = text;
  tampered[at + 2] = text[at + 2] == '0' ? '1' : '0';
  const std::size_t instant = text.rfind("\n@ ", at) + 3;
  const std::int64_t expected = std::stoll(text.substr(instant));
  const auto report = Replay(Read(tampered), kPolicies);
  ASSERT_TRUE(report.has_value()) << report.error().message;
  ASSERT_FALSE(report->identical());
  EXPECT_EQ(Nanoseconds(report->difference->at), expected);
  EXPECT_NE(report->difference->recorded, report->difference->replayed);
  EXPECT_THAT(report->difference->replayed, HasSubstr("start request"));
}

TEST(Why, AccountsForEveryRequestOfRandomWorlds) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Recording recording = Read(RandomWorld(seed).Record("edf:drop=early"));
    for (RequestNumber request = 100; request < 130; ++request) {
      const auto account = AccountFor(recording, request);
      ASSERT_TRUE(account.has_value()) << account.error().message;
      const RequestAccount& a = *account;
      EXPECT_TRUE(a.outcome.has_value());
      EXPECT_FALSE(a.path.empty());
      EXPECT_EQ(
          a.admission + a.wait.time + a.alone + a.switching + a.going_on.sum() + a.slowed + a.lost,
          a.total());
      Duration known = a.wait.deciding + a.wait.away + a.wait.idle;
      for (const Blocker& blocker : a.wait.behind) known += blocker.time;
      EXPECT_NEAR(static_cast<double>((a.wait.time - known).count()), 0, 50);
      EXPECT_THAT(ToText(a), HasSubstr("where its"));
    }
  }
}

// Random damage to every part of a file: an error or a difference, never a crash.
TEST(Replay, SurvivesDamage) {
  RandomStream random(7, "damage");
  const std::string_view alphabet = "0123456789->?!@.afT {}[]\",:\n";
  int errors = 0;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const std::string text = RandomWorld(seed).Record(seed % 2 == 0 ? "edf" : "random");
    const std::size_t body = text.find('\n', text.find('\n') + 1);
    for (int i = 0; i < 150; ++i) {
      std::string damaged = text;
      const int spots = 1 + static_cast<int>(random.Below(3));
      for (int spot = 0; spot < spots; ++spot) {
        const std::size_t from = random.Below(4) == 0 ? 0 : body;
        const std::size_t at = from + random.Below(damaged.size() - from);
        damaged[at] = alphabet[random.Below(alphabet.size())];
      }
      auto recording = ReadRecording("f.rec", damaged);
      if (!recording.has_value()) {
        EXPECT_THAT(recording.error().message, StartsWith("f.rec:"));
        ++errors;
        continue;
      }
      const auto report = Replay(*recording, kPolicies);
      if (!report.has_value()) {
        EXPECT_THAT(report.error().message, StartsWith("f.rec:"));
        ++errors;
      }
      const auto text_of_one = Why(*recording, 100 + random.Below(30));
      if (!text_of_one.has_value()) {
        EXPECT_THAT(text_of_one.error().message, StartsWith("f.rec:"));
      }
    }
  }
  EXPECT_GT(errors, 100);
}

}  // namespace
}  // namespace fairlead
