#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "fairlead/workload/trace_requests.h"

namespace fairlead {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::int64_t kMinute = 60'000'000'000;

const std::string kAzure =
    "HashOwner,HashApp,HashFunction,Trigger,1,2,3\n"
    "ada,shop,pay,http,2,0,1\n"
    "bob,blog,read,timer,0,10,0\n"
    "ada,shop,ship,queue,0,0,3\n";

TraceOptions Options() { return {.networks = {"alexnet", "resnet50"}}; }

// "tenant network" of each request, with how many there are.
std::map<std::string, int> CountsOf(const ImportedRequests& imported) {
  std::map<std::string, int> counts;
  for (const RequestRow& row : imported.rows.rows)
    ++counts[imported.rows.tenants[row.tenant].name + " " +
             imported.rows.networks[row.network].name];
  return counts;
}

std::string AzureError(const std::string& text) {
  const auto imported = ParseAzureFunctions2019("a.csv", text, Options());
  return imported.has_value() ? "" : imported.error().message;
}

TEST(KeepLargest, TiesGoToTheFirst) {
  const std::vector<std::int64_t> totals = {3, 9, 3, 1};
  EXPECT_THAT(KeepLargest(totals, 2), ElementsAre(true, true, false, false));
  EXPECT_THAT(KeepLargest(totals, 0), ElementsAre(true, true, true, true));
  EXPECT_THAT(KeepLargest(totals, 9), ElementsAre(true, true, true, true));
}

TEST(ScaledCount, IsExactOnAverage) {
  RandomStream random(1, "test");
  std::int64_t sum = 0;
  for (int i = 0; i < 10'000; ++i) sum += ScaledCount(7, 0.3, random);
  EXPECT_NEAR(static_cast<double>(sum), 21'000, 200);
  EXPECT_EQ(ScaledCount(7, 2, random), 14);
}

TEST(AzureFunctions, InvocationsBecomeRequestsInTheirMinute) {
  const auto imported = ParseAzureFunctions2019("a.csv", kAzure, Options());
  ASSERT_TRUE(imported.has_value()) << imported.error().message;
  // pay: alexnet, read: resnet50, ship: alexnet again.
  EXPECT_EQ(CountsOf(*imported),
            (std::map<std::string, int>{{"ada alexnet", 6}, {"bob resnet50", 10}}));
  std::vector<std::int64_t> by_minute(3, 0);
  for (const RequestRow& row : imported->rows.rows)
    ++by_minute.at(static_cast<std::size_t>(Nanoseconds(row.arrival) / kMinute));
  EXPECT_THAT(by_minute, ElementsAre(2, 10, 4));
  EXPECT_TRUE(std::ranges::is_sorted(imported->rows.rows, {}, &RequestRow::arrival));
  EXPECT_EQ(imported->rows.rows.back().number, 15U);
  EXPECT_EQ(imported->rows.rows.front().deadline, std::chrono::milliseconds{50});
}

TEST(AzureFunctions, KeepingFewerChangesNothingForTheOthers) {
  TraceOptions options = Options();
  const auto all = ParseAzureFunctions2019("a.csv", kAzure, options);
  options.top = 1;
  const auto largest = ParseAzureFunctions2019("a.csv", kAzure, options);
  EXPECT_EQ(CountsOf(*largest), (std::map<std::string, int>{{"bob resnet50", 10}}));
  std::vector<Instant> then;
  for (const RequestRow& row : all->rows.rows)
    if (row.network == 1) then.push_back(row.arrival);
  std::vector<Instant> now;
  for (const RequestRow& row : largest->rows.rows) now.push_back(row.arrival);
  EXPECT_EQ(then, now);
}

TEST(AzureFunctions, ScaleAndSpeedup) {
  TraceOptions options = Options();
  options.scale = 3;
  options.speedup = 60;
  const auto imported = ParseAzureFunctions2019("a.csv", kAzure, options);
  EXPECT_EQ(imported->rows.rows.size(), 48U);
  EXPECT_LT(imported->rows.rows.back().arrival, AtNanoseconds(3'000'000'000));
}

TEST(AzureFunctions, SeedsDiffer) {
  TraceOptions options = Options();
  const auto one = ParseAzureFunctions2019("a.csv", kAzure, options);
  const auto same = ParseAzureFunctions2019("a.csv", kAzure, options);
  options.seed = 2;
  const auto other = ParseAzureFunctions2019("a.csv", kAzure, options);
  EXPECT_EQ(one->rows.rows.front().arrival, same->rows.rows.front().arrival);
  EXPECT_NE(one->rows.rows.front().arrival, other->rows.rows.front().arrival);
}

TEST(AzureFunctions, SaysWhatIsWrongAndWhere) {
  const std::string header = "HashOwner,HashApp,HashFunction,Trigger,1,2\n";
  EXPECT_THAT(AzureError(""), HasSubstr("a.csv:1:1: no header row"));
  EXPECT_THAT(AzureError("HashOwner,HashFunction\n"),
              HasSubstr("a.csv:1:11: column 'HashFunction'; expected 'HashApp'"));
  EXPECT_THAT(AzureError("HashOwner,HashApp,HashFunction,Trigger\n"), HasSubstr("no minutes"));
  EXPECT_THAT(AzureError("HashOwner,HashApp,HashFunction,Trigger,1,3\n"),
              HasSubstr("a.csv:1:42: column '3'; expected '2'"));
  EXPECT_THAT(AzureError(header + "a,b,c,http,1\n"), HasSubstr("a.csv:2:1: 5 fields, but"));
  EXPECT_THAT(AzureError(header + "a,,c,http,1,1\n"), HasSubstr("a.csv:2:3: HashApp is empty"));
  EXPECT_THAT(AzureError(header + "a,b,c,http,1,-1\n"),
              HasSubstr("a.csv:2:14: the number of invocations is -1; expected 0 to"));
  EXPECT_THAT(AzureError(header + "a,b,c,http,x,1\n"),
              HasSubstr("a.csv:2:12: the number of invocations: "));
}

TEST(AzureFunctions, RefusesMoreThanCanBeKept) {
  const std::string text = "HashOwner,HashApp,HashFunction,Trigger,1\na,b,c,http,1000000000\n";
  EXPECT_EQ(AzureError(text),
            "a.csv: more than 10000000 requests: scale it down, or keep fewer "
            "tenants");
}

const std::string kJobs =
    "j1,i1,ada,Terminated,1000.5,2000.0\n"
    "j2,i2,bob,Failed,900.0,\n"
    "j3,i3,ada,Waiting,,\n"
    "j4,i4,ada,Running,0,0\n";
const std::string kTasks =
    "j1,worker,2.0,Terminated,1001.0,2000.0,600.0,29.3,50.0,MISC\n"
    "j1,ps,1.0,Terminated,1001.5,2000.0,,,,CPU\n"
    "j2,worker,1.0,Failed,950.0,960.0,600.0,29.3,25.0,T4\n"
    "gone,worker,1.0,Failed,950.0,960.0,600.0,29.3,25.0,MISC\n";

TEST(AlibabaPai, JobsBecomeRequests) {
  const auto imported = ParseAlibabaPai2020({.jobs_file = "j.csv", .jobs = kJobs}, Options());
  ASSERT_TRUE(imported.has_value()) << imported.error().message;
  EXPECT_EQ(CountsOf(*imported),
            (std::map<std::string, int>{{"ada alexnet", 1}, {"bob resnet50", 1}}));
  EXPECT_EQ(imported->left_out, 2);
  EXPECT_EQ(imported->rows.rows[0].arrival, Instant{});
  EXPECT_EQ(imported->rows.rows[1].arrival, AtNanoseconds(100'500'000'000));
}

TEST(AlibabaPai, TasksTakeTheirPlace) {
  const auto imported = ParseAlibabaPai2020(
      {.jobs_file = "j.csv", .jobs = kJobs, .tasks_file = "t.csv", .tasks = kTasks}, Options());
  ASSERT_TRUE(imported.has_value()) << imported.error().message;
  // worker/MISC: alexnet, ps/CPU: resnet50, worker/T4: alexnet again.
  EXPECT_EQ(CountsOf(*imported), (std::map<std::string, int>{
                                     {"ada alexnet", 1}, {"ada resnet50", 1}, {"bob alexnet", 1}}));
  EXPECT_EQ(imported->left_out, 1);
}

TEST(AlibabaPai, PassesOverALineOfNames) {
  const std::string header = "job_name,inst_id,user,status,start_time,end_time\n";
  const auto imported =
      ParseAlibabaPai2020({.jobs_file = "j.csv", .jobs = header + kJobs}, Options());
  EXPECT_EQ(imported->rows.rows.size(), 2U);
  EXPECT_TRUE(
      ParseAlibabaPai2020({.jobs_file = "j.csv", .jobs = header}, Options())->rows.rows.empty());
}

TEST(AlibabaPai, SaysWhatIsWrongAndWhere) {
  const auto error = [](const std::string& jobs, const std::string& tasks) {
    const auto imported = ParseAlibabaPai2020(
        {.jobs_file = "j.csv", .jobs = jobs, .tasks_file = "t.csv", .tasks = tasks}, Options());
    return imported.has_value() ? "" : imported.error().message;
  };
  EXPECT_THAT(error("a,b\n", ""), HasSubstr("j.csv:1:1: 2 fields; a line of pai_job_table has 6"));
  EXPECT_THAT(error("j,i,,x,1,2\n", ""), HasSubstr("j.csv:1:5: user is empty"));
  EXPECT_THAT(error("j,i,u,x,soon,2\n", ""), HasSubstr("j.csv:1:9: start_time: "));
  EXPECT_THAT(error("j,i,u,x,-1,2\n", ""), HasSubstr("start_time is -1; expected 0 to"));
  EXPECT_THAT(error(kJobs, "j1,worker\n"),
              HasSubstr("t.csv:1:1: 2 fields; a line of pai_task_table has 10"));
  EXPECT_THAT(error(kJobs, "j1,worker,many,x,1,2,,,,\n"), HasSubstr("t.csv:1:11: inst_num: "));
}

}  // namespace
}  // namespace fairlead
