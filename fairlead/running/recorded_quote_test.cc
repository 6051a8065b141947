// Quotes on traffic that was recorded.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "fairlead/report/quote_report.h"
#include "fairlead/running/quote.h"
#include "fairlead/running/quote_world.h"
#include "fairlead/running/resampled_requests.h"
#include "fairlead/running/seeded_world.h"
#include "fairlead/scenario/scenario.h"

namespace fairlead {
namespace {

constexpr const char* kJobs =
    "network,layer,accelerator,latency_ns,dram_bytes,energy_pj\njob,0,x,10000000,0,0\n";
constexpr const char* kHeader = "request,arrival_ns,tenant,network,deadline_ns\n";

// 60 s in which ann asks every 25 ms, and bob 20 times in the first tenth of every second: 60 of
// 100 jobs a second that the accelerator does.
std::string Recording() {
  std::string text = kHeader;
  int number = 0;
  for (int i = 0; i < 2400; ++i)
    text += fmt::format("{},{},ann,job,100000000\n", number++, i * 25'000'000L);
  for (int second = 0; second < 60; ++second) {
    for (int i = 0; i < 20; ++i)
      text += fmt::format("{},{},bob,job,250000000\n", number++,
                          second * 1'000'000'000L + i * 5'000'000L);
  }
  return text;
}

Result<std::string> Read(const std::string& path) {
  if (path.ends_with("short.csv"))
    return kHeader + std::string("0,0,ann,job,100000000\n1,0,bob,job,100000000\n");
  return path.ends_with("r.csv") ? Recording() : kJobs;
}

std::string Promising(std::string_view percent, std::string_view file = "r.csv") {
  return fmt::format(
      "networks: {{profile: profile}}\nplatform: {{accelerators: [{{kind: x}}]}}\nrequests: {}\n"
      "changes:\n"
      "  - {{at: 0s, tenant: ann, network: job, target: {}}}\n"
      "  - {{at: 0s, tenant: bob, network: job, target: {}}}\n",
      file, percent, percent);
}

Scenario Recorded(std::string_view percent, std::string_view file = "r.csv") {
  return ParseScenario("recorded.yaml", Promising(percent, file)).value();
}

World Settled(std::string_view percent) {
  return SettledWorld(Recorded(percent), 1, &Read).value();
}

Result<QuoteResults> Ask(std::string_view percent, const std::vector<std::string>& agreements) {
  std::vector<TenantsConfig> added;
  for (const std::string& agreement : agreements)
    added.push_back(ParseAgreement(agreement).value());
  return Quote(Recorded(percent), added, {.policy = "edf-share", .trials = 6, .read = &Read});
}

std::vector<Request> Drawn(const World& world, std::uint64_t seed) {
  std::vector<Request> requests;
  const auto source = DrawRequests(world, seed);
  while (const auto request = source->Next()) requests.push_back(*request);
  return requests;
}

TEST(Resampled, TheFirstSeedIsTheRecordingItself) {
  const World world = Settled("80%");
  const std::vector<Request> drawn = Drawn(world, 1);
  ASSERT_EQ(drawn.size(), world.requests.size());
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    EXPECT_EQ(drawn[i].arrival, world.requests[i].arrival);
    EXPECT_EQ(drawn[i].agreement, world.requests[i].agreement);
  }
}

TEST(Resampled, OthersAreAsLongAndAboutAsMany) {
  const World world = Settled("80%");
  double requests = 0;
  for (std::uint64_t seed = 2; seed < 52; ++seed) {
    const std::vector<Request> drawn = Drawn(world, seed);
    requests += static_cast<double>(drawn.size()) / 50;
    ASSERT_TRUE(std::ranges::is_sorted(drawn, {}, &Request::arrival));
    EXPECT_LT(drawn.back().arrival, Instant{} + world.resampling->length);
    for (std::size_t i = 0; i < drawn.size(); ++i) EXPECT_EQ(drawn[i].number, i);
  }
  EXPECT_NEAR(requests, 3600, 60);
}

// Every request of a block keeps its distance to the one before: bob's come in twenties.
TEST(Resampled, BlocksKeepWhatIsTogether) {
  const World world = Settled("80%");
  EXPECT_EQ(world.resampling->block, std::chrono::milliseconds{2500});  // ten deadlines
  std::map<std::int64_t, int> gaps;
  Instant last{};
  for (const Request& request : Drawn(world, 7)) {
    if (world.tenants[world.agreements[request.agreement.index()].agreement.tenant.index()].name !=
        "bob")
      continue;
    ++gaps[(request.arrival - last).count()];
    last = request.arrival;
  }
  EXPECT_GT(gaps[5'000'000], 1000);  // of about 1,200
}

TEST(Resampled, ALowerRateKeepsAPart) {
  const World world = Settled("80%");
  const World half = WithRates(world, std::vector<std::size_t>{0, 1}, 0.5);
  EXPECT_NEAR(static_cast<double>(Drawn(half, 1).size()), 1800, 100);
  EXPECT_NEAR(RateOf(half.agreements[0]) / RateOf(world.agreements[0]), 0.5, 1e-9);
}

TEST(RecordedQuote, SaysYesToWhatIsKept) {
  const auto results = Ask("60%", {});
  ASSERT_TRUE(results.has_value()) << results.error().message;
  EXPECT_EQ(results->answer, QuoteAnswer::kYes) << results->reason;
  EXPECT_EQ(results->agreements.front().promised, 0.6);
  EXPECT_NEAR(results->block_s.value(), 2.5, 1e-9);
  EXPECT_TRUE(std::ranges::any_of(results->trials, [](const QuoteTrial& trial) {
    return trial.seed == 1;  // the recording was simulated
  }));
}

// 36 of the 60 that were recorded must be served, so 64 are left, 95 % of 67 a second.
TEST(RecordedQuote, JudgesANewcomerBesideIt) {
  const auto much =
      Ask("60%", {"{name: eve, networks: [job], rate: 90/s, deadline: 100ms, target: 95%}"});
  ASSERT_TRUE(much.has_value()) << much.error().message;
  EXPECT_EQ(much->answer, QuoteAnswer::kAtMost);
  EXPECT_LT(much->rate.value(), 67);
  EXPECT_GT(much->rate.value(), 30);
  const auto little =
      Ask("60%", {"{name: eve, networks: [job], rate: 5/s, deadline: 100ms, target: 60%}"});
  EXPECT_EQ(little->answer, QuoteAnswer::kYes) << little->reason;
}

TEST(RecordedQuote, IsTheSameHoweverManyThreads) {
  const auto with = [](int threads) {
    return FormatQuoteJson(
        {}, *Quote(Recorded("60%"), {},
                   {.policy = "edf-share", .trials = 4, .threads = threads, .read = &Read}));
  };
  EXPECT_EQ(with(1), with(3));
}

TEST(RecordedQuote, ErrorsSayWhatToDo) {
  const auto error_of = [](const Scenario& scenario, const std::vector<TenantsConfig>& added) {
    return Quote(scenario, added, {.policy = "edf-share", .read = &Read}).error().message;
  };
  EXPECT_EQ(error_of(Recorded("60%", "short.csv"), {}),
            "recorded.yaml:3:11: 1ns of requests with deadlines of up to 100ms are too few to say "
            "something about other traffic: give at least 20s");
  Scenario nobody = Recorded("60%");
  nobody.changes.clear();
  EXPECT_EQ(error_of(nobody, {}),
            "recorded.yaml: nobody is promised anything: with a requests file promises are "
            "changes, for example changes: [{at: 0s, tenant: ann, network: job, target: 90%}]");
  const auto joining =
      ParseAgreement("{name: eve, networks: [job], rate: 1/s, target: 60%, joins: 1s}").value();
  EXPECT_TRUE(error_of(Recorded("60%"), {joining})
                  .ends_with("beside a requests file they stay from beginning to end: leave out "
                             "joins and leaves"));
  const auto ann = ParseAgreement("{name: ann, networks: [job], rate: 1/s, target: 60%}").value();
  EXPECT_TRUE(error_of(Recorded("60%"), {ann})
                  .ends_with("tenant 'ann' is in the requests file already; give the newcomer "
                             "another name"));
}

}  // namespace
}  // namespace fairlead
