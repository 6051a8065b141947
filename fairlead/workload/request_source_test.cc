#include "fairlead/workload/request_source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace fairlead {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

RequestStreamOptions Stream(std::size_t agreement, const ArrivalOptions& arrivals) {
  RequestStreamOptions stream;
  stream.agreement = AgreementId{agreement};
  stream.tenant = "t" + std::to_string(agreement);
  stream.network = "alexnet";
  stream.arrivals = arrivals;
  stream.deadline = milliseconds(10);
  return stream;
}

GeneratedRequestsOptions Options(std::vector<RequestStreamOptions> streams) {
  GeneratedRequestsOptions options;
  options.streams = std::move(streams);
  options.horizon = Instant{seconds(10)};
  options.seed = 5;
  return options;
}

std::vector<Request> All(RequestSource& source) {
  std::vector<Request> requests;
  while (auto request = source.Next()) requests.push_back(*request);
  return requests;
}

std::vector<Request> Generate(const GeneratedRequestsOptions& options) {
  GeneratedRequests source(options);
  return All(source);
}

std::vector<RequestStreamOptions> TwentyPoissonStreams() {
  std::vector<RequestStreamOptions> streams;
  for (std::size_t i = 0; i < 20; ++i)
    streams.push_back(Stream(i, PoissonArrivals{milliseconds(50)}));
  return streams;
}

std::vector<Instant> ArrivalsOf(const std::vector<Request>& requests, AgreementId agreement) {
  std::vector<Instant> arrivals;
  for (const Request& request : requests) {
    if (request.agreement == agreement) arrivals.push_back(request.arrival);
  }
  return arrivals;
}

TEST(GeneratedRequests, ComeInTimeOrder) {
  EXPECT_TRUE(
      std::ranges::is_sorted(Generate(Options(TwentyPoissonStreams())), {}, &Request::arrival));
}

TEST(GeneratedRequests, AreNumberedFromZero) {
  const auto requests = Generate(Options(TwentyPoissonStreams()));
  RequestNumber expected = 0;
  EXPECT_TRUE(std::ranges::all_of(
      requests, [&](const Request& request) { return request.number == expected++; }));
}

TEST(GeneratedRequests, ComeAtTheSumOfTheRates) {
  // 20 streams * 20 per second * 10 s, give or take three deviations
  EXPECT_NEAR(static_cast<double>(Generate(Options(TwentyPoissonStreams())).size()), 4000, 190);
}

TEST(GeneratedRequests, StopBeforeTheHorizon) {
  const auto requests = Generate(Options(TwentyPoissonStreams()));
  EXPECT_LT(requests.back().arrival, Instant{seconds(10)});
}

TEST(GeneratedRequests, FollowTheNamedStream) {
  const auto process = MakeArrivals(PoissonArrivals{milliseconds(50)},
                                    RandomStream(5, "arrivals/tenant=t0/network=alexnet"));
  std::vector<Instant> expected;
  for (Instant at{process->NextGap()}; at < Instant{seconds(10)}; at += process->NextGap())
    expected.push_back(at);
  EXPECT_EQ(ArrivalsOf(Generate(Options(TwentyPoissonStreams())), AgreementId{0}), expected);
}

TEST(GeneratedRequests, OfOneTenantDoNotDependOnTheOthers) {
  const auto together = Generate(Options(TwentyPoissonStreams()));
  const auto alone = Generate(Options({Stream(7, PoissonArrivals{milliseconds(50)})}));
  EXPECT_EQ(ArrivalsOf(together, AgreementId{7}), ArrivalsOf(alone, AgreementId{7}));
}

TEST(GeneratedRequests, OfOneInstantComeInTheOrderOfStreams) {
  // A period of a nanosecond leaves no room for a phase.
  const PeriodicArrivals tick{Duration{1}, Duration::zero()};
  auto options = Options({Stream(1, tick), Stream(0, tick)});
  options.horizon = AtNanoseconds(2);
  std::vector<std::size_t> order;
  for (const Request& request : Generate(options)) order.push_back(request.agreement.index());
  EXPECT_EQ(order, (std::vector<std::size_t>{1, 0, 1, 0}));
}

TEST(GeneratedRequests, BeginWhenTheirTenantJoins) {
  RequestStreamOptions late = Stream(0, PoissonArrivals{milliseconds(1)});
  late.start = Instant{seconds(4)};
  EXPECT_GE(Generate(Options({late})).front().arrival, late.start);
}

TEST(GeneratedRequests, EndWhenTheirTenantLeaves) {
  RequestStreamOptions leaving = Stream(0, PoissonArrivals{milliseconds(1)});
  leaving.stop = Instant{seconds(4)};
  EXPECT_LT(Generate(Options({leaving})).back().arrival, leaving.stop);
}

TEST(GeneratedRequests, NeverComeWhenTheirTenantJoinsAfterTheHorizon) {
  RequestStreamOptions late = Stream(0, PoissonArrivals{milliseconds(1)});
  late.start = Instant{seconds(11)};
  EXPECT_TRUE(Generate(Options({late})).empty());
}

std::map<std::int64_t, int> DeadlineCounts(const DeadlineLevels& levels) {
  auto options = Options({Stream(0, PoissonArrivals{milliseconds(1)})});
  options.levels = levels;
  std::map<std::int64_t, int> counts;
  for (const Request& request : Generate(options)) ++counts[Nanoseconds(request.deadline)];
  return counts;
}

TEST(GeneratedRequests, CarryTheThreeLevels) {
  std::vector<std::int64_t> deadlines;
  for (const auto& [deadline, count] : DeadlineCounts({})) deadlines.push_back(deadline);
  EXPECT_EQ(deadlines, (std::vector<std::int64_t>{8'000'000, 10'000'000, 12'000'000}));
}

TEST(GeneratedRequests, DrawLevelsByWeight) {
  const auto counts = DeadlineCounts({.factors = {1, 2}, .weights = {1, 3}});
  EXPECT_NEAR(static_cast<double>(counts.at(20'000'000)) / counts.at(10'000'000), 3, 0.3);
}

TEST(GeneratedRequests, HaveTheDeadlineOfAStreamWithoutLevels) {
  auto options = Options({Stream(0, PoissonArrivals{milliseconds(1)})});
  options.streams.front().levelled = false;
  for (const Request& request : Generate(options)) ASSERT_EQ(request.deadline, milliseconds(10));
}

TEST(GeneratedRequests, DrawLevelsWithoutShiftingArrivals) {
  auto options = Options(TwentyPoissonStreams());
  const auto with_levels = Generate(options);
  options.levels = {.factors = {1}, .weights = {1}};
  EXPECT_EQ(ArrivalsOf(with_levels, AgreementId{3}), ArrivalsOf(Generate(options), AgreementId{3}));
}

TEST(ListedRequests, ComeAsListed) {
  const std::vector<Request> listed = {{.number = 9, .agreement = AgreementId{1}},
                                       {.number = 4, .agreement = AgreementId{0}}};
  ListedRequests source(listed);
  std::vector<RequestNumber> numbers;
  for (const Request& request : All(source)) numbers.push_back(request.number);
  EXPECT_EQ(numbers, (std::vector<RequestNumber>{9, 4}));
}

TEST(ListedRequestsDeathTest, RefuseADisorderedList) {
  std::vector<Request> disordered(2);
  disordered[0].arrival = AtNanoseconds(2);
  disordered[1].arrival = AtNanoseconds(1);
  EXPECT_DEATH(ListedRequests{disordered}, "is_sorted");
}

}  // namespace
}  // namespace fairlead
