#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/report/outcome_log.h"

namespace fairlead {
namespace {

constexpr std::string_view kHeader =
    "request,tenant,network,arrival_ns,start_ns,finish_ns,deadline_ns,outcome\n";

class OutcomesFile : public testing::Test {
 protected:
  // A job of ada's alexnet that arrived at 100 with a deadline of 50.
  static LoggedJob JobOf(RequestNumber request, Outcome outcome) {
    return {.request = request,
            .agreement = AgreementId{0},
            .tenant = TenantId{0},
            .network = NetworkId{0},
            .arrival = AtNanoseconds(100),
            .deadline = AtNanoseconds(150),
            .outcome = outcome};
  }
  std::string LinesOf(const std::vector<LoggedJob>& jobs) const {
    const std::string text = FormatOutcomes(jobs, {tenants_, networks_});
    EXPECT_TRUE(text.starts_with(kHeader));
    return text.substr(kHeader.size());
  }

  std::vector<Tenant> tenants_ = {{.name = "ada"}, {.name = "bob, \"the\" builder"}};
  std::vector<NetworkGraph> networks_ = {NetworkGraph::Chain("alexnet", 1),
                                         NetworkGraph::Chain("vgg16", 1)};
};

TEST_F(OutcomesFile, WithoutRequestsIsAHeader) { EXPECT_EQ(LinesOf({}), ""); }

TEST_F(OutcomesFile, HasARelativeDeadline) {
  LoggedJob job = JobOf(4, Outcome::kHit);
  job.start = AtNanoseconds(110);
  job.finish = AtNanoseconds(140);
  EXPECT_EQ(LinesOf({job}), "4,ada,alexnet,100,110,140,50,hit\n");
}

TEST_F(OutcomesFile, LeavesOutTheFinishOfADroppedRequest) {
  LoggedJob job = JobOf(4, Outcome::kDropped);
  job.start = AtNanoseconds(110);
  EXPECT_EQ(LinesOf({job}), "4,ada,alexnet,100,110,,50,dropped\n");
}

TEST_F(OutcomesFile, LeavesOutTheStartOfARejectedRequest) {
  EXPECT_EQ(LinesOf({JobOf(4, Outcome::kRejected)}), "4,ada,alexnet,100,,,50,rejected\n");
}

TEST_F(OutcomesFile, IsSortedByRequest) {
  EXPECT_EQ(LinesOf({JobOf(10, Outcome::kRejected), JobOf(9, Outcome::kRejected)}),
            "9,ada,alexnet,100,,,50,rejected\n10,ada,alexnet,100,,,50,rejected\n");
}

TEST_F(OutcomesFile, QuotesNames) {
  LoggedJob job = JobOf(1, Outcome::kRejected);
  job.tenant = TenantId{1};
  job.network = NetworkId{1};
  EXPECT_EQ(LinesOf({job}), "1,\"bob, \"\"the\"\" builder\",vgg16,100,,,50,rejected\n");
}

TEST_F(OutcomesFile, LosesNoLineBetweenPieces) {
  const std::vector<LoggedJob> jobs(5000, JobOf(1, Outcome::kRejected));
  EXPECT_EQ(std::ranges::count(LinesOf(jobs), '\n'), 5000);
}

}  // namespace
}  // namespace fairlead
