// Calls with several samples through a live world.
#include "fairlead/serving/sample_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <latch>

#include "fairlead/serving/clock.h"
#include "fairlead/serving/testing/service_world.h"

namespace fairlead {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr TenantId kAda{0};

// (x, 0, 0) for each x.
InferenceCall CallOf(const std::vector<float>& samples) {
  std::vector<float> numbers;
  for (const float x : samples) numbers.insert(numbers.end(), {x, 0, 0});
  InferenceCall call{.tenant = kAda, .network = "g", .inputs = {Floats("0", numbers)}};
  call.inputs[0].info.shape = {std::ssize(samples), 3};
  return call;
}

class SampleGroupsTest : public testing::Test {
 protected:
  ServiceWorld world_;
  const RealClock clock_;
};

TEST_F(SampleGroupsTest, ResultsAreStackedInTheOrderOfTheSamples) {
  RunningService service(world_, world_.Setup(clock_));
  AnswerLog log;
  service->Submit(CallOf({1, -2, 3, 4, 5, 6, 7, 8, 9, 10}), log.ToRemember());
  log.Await(1);
  const InferenceAnswer answer = log.answers().front();
  ASSERT_EQ(answer.code, InferenceCode::kOk) << answer.message;
  ASSERT_EQ(answer.outputs.size(), 1U);
  EXPECT_THAT(answer.outputs[0].info.shape, ElementsAre(10, 3));
  std::vector<float> numbers(30);
  ASSERT_EQ(answer.outputs[0].data.bytes.size(), numbers.size() * sizeof(float));
  std::memcpy(numbers.data(), answer.outputs[0].data.bytes.data(), numbers.size() * sizeof(float));
  const float factor = FakeFactor(kServiceLayers);
  EXPECT_EQ(numbers[0], factor);
  EXPECT_EQ(numbers[3], -2 * factor);
  EXPECT_EQ(numbers[27], 10 * factor);
  ASSERT_TRUE(service.Drain().has_value());
  EXPECT_EQ(service->StatisticsOf(NetworkId{0}).ended[0], 10U);
}

TEST_F(SampleGroupsTest, CancellingStopsAllOfThem) {
  std::latch leave(1);
  for (FakeBehaviour& behaviour : world_.behaviour)
    behaviour.before_layer = [&](std::size_t) { leave.wait(); };
  RunningService service(world_, world_.Setup(clock_));
  AnswerLog log;
  const Ticket ticket = service->Submit(CallOf({1, 2, 3, 4}), log.ToRemember());
  ASSERT_NE(ticket, 0U);
  service->Cancel(ticket);
  EXPECT_THAT(log.codes(), ElementsAre("cancelled"));
  service->Cancel(ticket);
  leave.count_down();
  ASSERT_TRUE(service.Drain().has_value());
  EXPECT_EQ(log.answers().size(), 1U);
  EXPECT_LE(world_.behaviour[0].carried + world_.behaviour[1].carried, 2);
}

TEST_F(SampleGroupsTest, OneThatFailsFailsAll) {
  InferenceSetup setup = world_.Setup(clock_);
  setup.live.world.agreements[0].contract = Contract{.rate = 1, .burst = 2, .over = Over::kRefuse};
  RunningService service(world_, std::move(setup));
  AnswerLog log;
  service->Submit(CallOf({1, 2, 3, 4}), log.ToRemember());
  log.Await(1);
  EXPECT_THAT(log.codes(), ElementsAre("over-contract"));
  ASSERT_TRUE(service.Drain().has_value());
  EXPECT_EQ(log.answers().size(), 1U);
  EXPECT_EQ(service->Report().under_way, 0U);
}

TEST_F(SampleGroupsTest, WhatDoesNotFitIsRefused) {
  RunningService service(world_, world_.Setup(clock_));
  const auto complaint = [&](InferenceCall call) {
    AnswerLog log;
    service->Submit(std::move(call), log.ToRemember());
    log.Await(1);
    return log.answers().front().message;
  };
  InferenceCall call = CallOf({1, 2});
  call.inputs[0].info.shape = {2, 4};
  EXPECT_THAT(complaint(call), HasSubstr("has the shape [2,4]"));
  call = CallOf({1, 2});
  call.inputs[0].data.bytes = call.inputs[0].data.bytes.first(20);
  EXPECT_THAT(complaint(call), HasSubstr("has the shape [2,3]"));
  EXPECT_THAT(complaint(CallOf(std::vector<float>(kMostSamples + 1))), HasSubstr("1025 samples"));
}

}  // namespace
}  // namespace fairlead
