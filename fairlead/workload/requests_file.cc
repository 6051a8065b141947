#include "fairlead/workload/requests_file.h"

#include <algorithm>
#include <functional>
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

  Result<std::uint32_t> IndexOf(const CsvTable& row, std::string_view column) {
    ASSIGN_OR_RETURN(const std::string_view name, row.Name(0, column));
    const auto [entry, is_new] = index_.try_emplace(std::string(name), list_.size());
    if (is_new) list_.push_back({entry->first, row.PlaceOf(0, column)});
    return static_cast<std::uint32_t>(entry->second);
  }

 private:
  std::vector<NameAtPlace>& list_;
  std::unordered_map<std::string, std::size_t> index_;
};

// From a table of one row.
Result<RequestRow> ReadRow(const CsvTable& row, Names& tenants, Names& networks) {
  RequestRow request;
  ASSIGN_OR_RETURN(const std::int64_t number, row.Integer(0, "request", 0, kLargestNumber));
  ASSIGN_OR_RETURN(const std::int64_t arrival, row.Integer(0, "arrival_ns", 0, kLargestNumber));
  request.deadline = kNotGiven;
  if (!row.Text(0, "deadline_ns").empty()) {
    ASSIGN_OR_RETURN(const std::int64_t deadline, row.Integer(0, "deadline_ns", 0, kLargestNumber));
    request.deadline = Duration{deadline};
  }
  if (!row.Text(0, "priority").empty()) {
    ASSIGN_OR_RETURN(const std::int64_t priority, row.Integer(0, "priority", 0, kLargestPriority));
    request.priority = static_cast<int>(priority);
  }
  ASSIGN_OR_RETURN(request.tenant, tenants.IndexOf(row, "tenant"));
  ASSIGN_OR_RETURN(request.network, networks.IndexOf(row, "network"));
  request.number = static_cast<RequestNumber>(number);
  request.arrival = AtNanoseconds(arrival);
  return request;
}

Status ForEachRow(std::string_view file, std::string_view text,
                  const std::function<Status(const CsvTable& row)>& visit) {
  return CsvTable::ForEachRow(file, text,
                              {"request", "arrival_ns", "tenant", "network", "deadline_ns"},
                              {"priority"}, visit);
}

// Expects the rows as in the file, which is read again to say where it is wrong.
Status CheckDistinct(std::string_view file, std::string_view text,
                     const std::vector<RequestRow>& rows) {
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
  if (first == rows.size()) return {};
  std::size_t row = 0;
  return ForEachRow(file, text, [&](const CsvTable& one) -> Status {
    if (row++ < first) return {};
    return FailAt(one.PlaceOf(0, "request"), "request {} stands twice", rows[first].number);
  });
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
  RequestRows result;
  Names tenants(result.tenants);
  Names networks(result.networks);
  RETURN_IF_ERROR(ForEachRow(file, text, [&](const CsvTable& row) -> Status {
    ASSIGN_OR_RETURN(result.rows.emplace_back(), ReadRow(row, tenants, networks));
    return {};
  }));
  RETURN_IF_ERROR(CheckDistinct(file, text, result.rows));
  std::ranges::stable_sort(result.rows, {}, &RequestRow::arrival);
  return result;
}

Result<RequestsFile> BuildRequests(const RequestRows& rows,
                                   std::span<const std::string_view> network_names,
                                   const DeadlineOf& deadline_of) {
  ASSIGN_OR_RETURN(const std::vector<NetworkId> networks,
                   MatchNetworks(rows.networks, network_names));
  RequestsFile result;
  result.requests.reserve(rows.rows.size());
  std::vector<TenantId> tenants(rows.tenants.size());
  std::unordered_map<std::uint64_t, AgreementId> agreements;
  for (RequestRow row : rows.rows) {
    const NameAtPlace& who = rows.tenants[row.tenant];
    if (row.deadline == kNotGiven) {
      const auto agreed =
          deadline_of ? deadline_of(who.name, rows.networks[row.network].name) : std::nullopt;
      if (!agreed.has_value())
        return FailAt(who.place,
                      "request {} has no deadline_ns, and none is agreed with '{}' for '{}'",
                      row.number, who.name, rows.networks[row.network].name);
      row.deadline = *agreed;
    }
    TenantId& tenant = tenants[row.tenant];
    if (!tenant.valid()) {
      tenant = TenantId{result.tenants.size()};
      result.tenants.push_back({.name = who.name});
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
