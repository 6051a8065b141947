#include "fairlead/workload/requests_file.h"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>
#include <string>
#include <utility>

namespace fairlead {
namespace {

constexpr std::array<std::string_view, 2> kNetworks = {"alexnet", "resnet50"};
constexpr std::string_view kHeader = "request,arrival_ns,tenant,network,deadline_ns\n";

// The header and these lines.
std::string Table(std::string_view lines) {
  std::string text(kHeader);
  text += lines;
  return text;
}

constexpr std::string_view kSmall =
    "request,arrival_ns,tenant,network,deadline_ns,priority\n"
    "3,50,b,resnet50,100,\n"
    "1,20,a,resnet50,200,4\n"
    "2,50,b,alexnet,300,1\n"
    "7,60,a,resnet50,400,0\n";

RequestsFile Build(std::string_view text) {
  const auto rows = ParseRequests("r.csv", text);
  if (!rows) throw std::runtime_error(rows.error().message);
  auto built = BuildRequests(*rows, kNetworks);
  if (!built) throw std::runtime_error(built.error().message);
  return std::move(*built);
}

// The message about a file with this line under the usual header.
std::string ErrorOf(std::string_view lines) {
  const auto rows = ParseRequests("r.csv", Table(lines));
  return rows ? "no error" : rows.error().message;
}

template <typename Field>
std::vector<std::size_t> Indices(const RequestsFile& file, Field field) {
  std::vector<std::size_t> indices;
  for (const Request& request : file.requests) indices.push_back(field(request));
  return indices;
}

TEST(RequestsFile, IsOrderedByArrivalThenAsInTheFile) {
  EXPECT_EQ(Indices(Build(kSmall), [](const Request& r) { return r.number; }),
            (std::vector<std::size_t>{1, 3, 2, 7}));
}

TEST(RequestsFile, NumbersTenantsByFirstRequest) {
  EXPECT_EQ(Build(kSmall).tenants.front().name, "a");
}

TEST(RequestsFile, MakesAnAgreementForEachTenantAndNetwork) {
  EXPECT_EQ(Indices(Build(kSmall), [](const Request& r) { return r.agreement.index(); }),
            (std::vector<std::size_t>{0, 1, 2, 0}));
}

TEST(RequestsFile, AgreementsNameTheirTenant) {
  EXPECT_EQ(Build(kSmall).agreements[2].tenant, TenantId{1});
}

TEST(RequestsFile, AgreementsNameTheirNetwork) {
  EXPECT_EQ(Build(kSmall).agreements[2].network, NetworkId{0});
}

TEST(RequestsFile, AgreementsAreBestEffort) {
  EXPECT_FALSE(Build(kSmall).agreements[0].target.has_value());
}

TEST(RequestsFile, AgreementsHaveTheDeadlineOfTheirFirstRequest) {
  EXPECT_EQ(Build(kSmall).agreements[0].deadline, Duration{200});
}

TEST(RequestsFile, RequestsKeepTheirOwnDeadline) {
  EXPECT_EQ(Build(kSmall).requests[3].deadline, Duration{400});
}

TEST(RequestsFile, AnEmptyPriorityIsOne) {
  EXPECT_EQ(
      Indices(Build(kSmall), [](const Request& r) { return static_cast<std::size_t>(r.priority); }),
      (std::vector<std::size_t>{4, 1, 1, 0}));
}

TEST(RequestsFile, PriorityMayBeMissing) {
  EXPECT_EQ(Build(Table("0,0,a,alexnet,5\n")).requests[0].priority, 1);
}

TEST(RequestsFile, MayBeEmpty) { EXPECT_TRUE(Build(kHeader).requests.empty()); }

TEST(RequestsFile, IsWrittenAsItIsRead) {
  const std::string text =
      "request,arrival_ns,tenant,network,deadline_ns,priority\n"
      "1,20,\"a, \"\"b\"\"\",resnet50,200,4\n"
      "2,50,c,alexnet,300,1\n";
  EXPECT_EQ(FormatRequests(Build(text), kNetworks), text);
}

TEST(RequestsFile, RefusesARepeatedNumber) {
  EXPECT_EQ(ErrorOf("5,0,a,alexnet,1\n6,0,a,alexnet,1\n5,0,a,alexnet,1\n"),
            "r.csv:4:1: request 5 stands twice");
}

TEST(RequestsFile, RefusesANegativeArrival) {
  EXPECT_EQ(ErrorOf("5,-1,a,alexnet,1\n"),
            "r.csv:2:3: arrival_ns is -1; expected 0 to 4000000000000000000");
}

TEST(RequestsFile, RefusesANegativeDeadline) {
  EXPECT_EQ(ErrorOf("5,1,a,alexnet,-7\n"),
            "r.csv:2:15: deadline_ns is -7; expected 0 to 4000000000000000000");
}

TEST(RequestsFile, RefusesAHugeArrival) {
  EXPECT_EQ(ErrorOf("5,4000000000000000001,a,alexnet,1\n"),
            "r.csv:2:3: arrival_ns is 4000000000000000001; expected 0 to 4000000000000000000");
}

TEST(RequestsFile, RefusesAnArrivalBeyond64Bits) {
  EXPECT_EQ(ErrorOf("5,99999999999999999999,a,alexnet,1\n"),
            "r.csv:2:3: arrival_ns: '99999999999999999999' is out of range");
}

TEST(RequestsFile, RefusesNan) {
  EXPECT_EQ(ErrorOf("5,nan,a,alexnet,1\n"), "r.csv:2:3: arrival_ns: 'nan' is not a whole number");
}

TEST(RequestsFile, RefusesAFraction) {
  EXPECT_EQ(ErrorOf("5,1.5,a,alexnet,1\n"), "r.csv:2:3: arrival_ns: '1.5' is not a whole number");
}

TEST(RequestsFile, RefusesANegativeNumber) {
  EXPECT_EQ(ErrorOf("-5,1,a,alexnet,1\n"),
            "r.csv:2:1: request is -5; expected 0 to 4000000000000000000");
}

TEST(RequestsFile, RefusesAnEmptyTenant) {
  EXPECT_EQ(ErrorOf("5,1,,alexnet,1\n"), "r.csv:2:5: tenant is empty");
}

TEST(RequestsFile, RefusesAnEmptyNetwork) {
  EXPECT_EQ(ErrorOf("5,1,a,,1\n"), "r.csv:2:7: network is empty");
}

TEST(RequestsFile, RefusesATruncatedLine) {
  EXPECT_EQ(ErrorOf("5,1,a\n"), "r.csv:2:1: 3 fields, but the header names 5 columns");
}

TEST(RequestsFile, RefusesAPriorityOutOfRange) {
  const auto rows = ParseRequests(
      "r.csv", "request,arrival_ns,tenant,network,deadline_ns,priority\n1,2,a,b,3,1000001\n");
  EXPECT_EQ(rows.error().message, "r.csv:2:11: priority is 1000001; expected 0 to 1000000");
}

TEST(RequestsFile, RefusesAnUnknownNetworkAndNamesTheNearest) {
  const auto rows = ParseRequests("r.csv", Table("1,2,a,alexnet,3\n2,2,a,resnet5,3\n"));
  EXPECT_EQ(BuildRequests(*rows, kNetworks).error().message,
            "r.csv:3:7: unknown network 'resnet5'; did you mean 'resnet50'?");
}

}  // namespace
}  // namespace fairlead
