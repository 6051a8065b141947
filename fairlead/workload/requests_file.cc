#include "fairlead/workload/requests_file.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "fairlead/base/csv.h"
#include "fairlead/base/units.h"

namespace fairlead {
namespace {

constexpr std::int64_t kLargestNumber = 4'000'000'000'000'000'000;
constexpr int kLargestPriority = 1'000'000;

// Gives each name an index, in order of first appearance.
class Names {
 public:
  explicit Names(std::vector<NameAtPlace>& list) : list_(list) {}

  Result<std::uint32_t> IndexOf(const CsvTable& table, std::size_t row, std::string_view column) {
    ASSIGN_OR_RETURN(const std::string_view name, table.Name(row, column));
    const auto [entry, is_new] = index_.try_emplace(name, list_.size());
    if (is_new) list_.push_back({std::string(name), table.PlaceOf(row, column)});
    return static_cast<std::uint32_t>(entry->second);
  }

 private:
  std::vector<NameAtPlace>& list_;
  std::unordered_map<std::string_view, std::size_t> index_;  // views into the table
};

Result<RequestRow> ReadRow(const CsvTable& table, std::size_t row, Names& tenants,
                           Names& networks) {
  RequestRow request;
  ASSIGN_OR_RETURN(const std::int64_t number, table.Integer(row, "request", 0, kLargestNumber));
  ASSIGN_OR_RETURN(const std::int64_t arrival, table.Integer(row, "arrival_ns", 0, kLargestNumber));
  ASSIGN_OR_RETURN(const std::int64_t deadline,
                   table.Integer(row, "deadline_ns", 0, kLargestNumber));
  if (!table.Text(row, "priority").empty()) {
    ASSIGN_OR_RETURN(const std::int64_t priority,
                     table.Integer(row, "priority", 0, kLargestPriority));
    request.priority = static_cast<int>(priority);
  }
  ASSIGN_OR_RETURN(request.tenant, tenants.IndexOf(table, row, "tenant"));
  ASSIGN_OR_RETURN(request.network, networks.IndexOf(table, row, "network"));
  request.number = static_cast<RequestNumber>(number);
  request.arrival = AtNanoseconds(arrival);
  request.deadline = Duration{deadline};
  return request;
}

// Expects the rows as in the file.
Status CheckDistinct(const CsvTable& table, const std::vector<RequestRow>& rows) {
  struct NumberAtRow {
    RequestNumber number;
    std::size_t row;
    auto operator<=>(const NumberAtRow&) const = default;
  };
  std::vector<NumberAtRow> numbers;
  numbers.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) numbers.push_back({rows[i].number, i});
  std::ranges::sort(numbers);
  // The first repetition as one reads the file.
  std::size_t first = rows.size();
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    if (numbers[i].number == numbers[i - 1].number) first = std::min(first, numbers[i].row);
  }
  if (first < rows.size())
    return FailAt(table.PlaceOf(first, "request"), "request {} stands twice", rows[first].number);
  return {};
}

Result<std::vector<NetworkId>> MatchNetworks(const std::vector<NameAtPlace>& mentioned,
                                             std::span<const std::string_view> network_names) {
  std::vector<NetworkId> matched;
  for (const NameAtPlace& network : mentioned) {
    const auto found = std::ranges::find(network_names, network.name);
    if (found == network_names.end())
      return FailAt(network.place, "unknown network '{}'{}", network.name,
                    Suggest(network.name, network_names));
    matched.emplace_back(static_cast<std::size_t>(found - network_names.begin()));
  }
  return matched;
}

}  // namespace

Result<RequestRows> ParseRequests(std::string_view file, std::string_view text) {
  ASSIGN_OR_RETURN(
      const CsvTable table,
      CsvTable::Parse(file, text, {"request", "arrival_ns", "tenant", "network", "deadline_ns"},
                      {"priority"}));
  RequestRows result;
  Names tenants(result.tenants);
  Names networks(result.networks);
  result.rows.reserve(table.rows());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    ASSIGN_OR_RETURN(result.rows.emplace_back(), ReadRow(table, row, tenants, networks));
  }
  RETURN_IF_ERROR(CheckDistinct(table, result.rows));
  std::ranges::stable_sort(result.rows, {}, &RequestRow::arrival);
  return result;
}

Result<RequestsFile> BuildRequests(const RequestRows& rows,
                                   std::span<const std::string_view> network_names) {
  ASSIGN_OR_RETURN(const std::vector<NetworkId> networks,
                   MatchNetworks(rows.networks, network_names));
  RequestsFile result;
  result.requests.reserve(rows.rows.size());
  std::vector<TenantId> tenants(rows.tenants.size());
  std::unordered_map<std::uint64_t, AgreementId> agreements;
  for (const RequestRow& row : rows.rows) {
    TenantId& tenant = tenants[row.tenant];
    if (!tenant.valid()) {
      tenant = TenantId{result.tenants.size()};
      result.tenants.push_back({.name = rows.tenants[row.tenant].name});
    }
    AgreementId& agreement = agreements[(std::uint64_t{row.tenant} << 32) | row.network];
    if (!agreement.valid()) {
      agreement = AgreementId{result.agreements.size()};
      ServiceAgreement& promise = result.agreements.emplace_back();
      promise.tenant = tenant;
      promise.network = networks[row.network];
      promise.deadline = row.deadline;
    }
    result.requests.push_back({.number = row.number,
                               .agreement = agreement,
                               .arrival = row.arrival,
                               .deadline = row.deadline,
                               .priority = row.priority});
  }
  return result;
}

std::string FormatRequests(const RequestsFile& file,
                           std::span<const std::string_view> network_names) {
  std::string text = "request,arrival_ns,tenant,network,deadline_ns,priority\n";
  for (const Request& request : file.requests) {
    const ServiceAgreement& agreement = file.agreements[request.agreement.index()];
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{}\n", request.number,
                   Nanoseconds(request.arrival),
                   CsvField(file.tenants[agreement.tenant.index()].name),
                   CsvField(network_names[agreement.network.index()]),
                   Nanoseconds(request.deadline), request.priority);
  }
  return text;
}

}  // namespace fairlead
