#include "fairlead/workload/trace_requests.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fairlead/base/check.h"

namespace fairlead {

std::uint32_t Appearances::IndexOf(std::string_view name) {
  const auto [entry, is_new] = index_.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
  if (is_new) names_.push_back(name);
  return entry->second;
}

std::vector<bool> KeepLargest(std::span<const std::int64_t> totals, std::size_t top) {
  if (top == 0 || top >= totals.size()) return std::vector<bool>(totals.size(), true);
  std::vector<std::size_t> order(totals.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return totals[i]; });
  std::vector<bool> keep(totals.size(), false);
  for (std::size_t i = 0; i < top; ++i) keep[order[i]] = true;
  return keep;
}

std::int64_t ScaledCount(std::int64_t count, double scale, RandomStream& random) {
  if (scale == 1 || count == 0) return count;
  const double wanted = static_cast<double>(count) * scale;
  const double whole = std::floor(wanted);
  const bool one_more = random.Uniform() < wanted - whole;
  return static_cast<std::int64_t>(whole) + (one_more ? 1 : 0);
}

TraceRequests::TraceRequests(std::string_view file, const TraceOptions& options)
    : file_(file), options_(options) {
  CHECK(!options.networks.empty() && options.scale > 0 && options.speedup > 0);
}

Status TraceRequests::Add(std::uint32_t tenant, std::uint32_t kind,
                          std::int64_t trace_nanoseconds) {
  if (rows_.size() == kMostTraceRequests)
    return Fail("{}: more than {} requests: scale it down, or keep fewer tenants", file_,
                kMostTraceRequests);
  earliest_ = std::min(earliest_, trace_nanoseconds);
  const auto networks = static_cast<std::uint32_t>(options_.networks.size());
  rows_.push_back({.arrival = AtNanoseconds(trace_nanoseconds),
                   .deadline = options_.deadline,
                   .tenant = tenant,
                   .network = kind % networks});
  return {};
}

RequestRows TraceRequests::Finish(std::span<const std::string_view> tenants, std::int64_t origin) {
  RequestRows result;
  for (std::string_view tenant : tenants)
    result.tenants.push_back({std::string(tenant), {std::string(file_)}});
  for (const std::string& network : options_.networks)
    result.networks.push_back({network, {std::string(file_)}});
  std::ranges::stable_sort(rows_, {}, &RequestRow::arrival);
  constexpr double kLatest = 4e18;  // as requests files allow
  RequestNumber number = 0;
  for (RequestRow& row : rows_) {
    const auto since = static_cast<double>(Nanoseconds(row.arrival) - origin);
    row.arrival =
        AtNanoseconds(static_cast<std::int64_t>(std::min(since / options_.speedup, kLatest)));
    row.number = number++;
  }
  result.rows = std::move(rows_);
  return result;
}

}  // namespace fairlead
