#include "fairlead/workload/azure_functions_trace.h"

#include "fairlead/base/csv.h"

namespace fairlead {
namespace {

constexpr std::string_view kNames[] = {"HashOwner", "HashApp", "HashFunction", "Trigger"};
constexpr std::size_t kFirstMinute = std::size(kNames);
constexpr std::size_t kMinutesOfDay = 1440;
constexpr std::int64_t kMinute = 60'000'000'000;
constexpr std::int64_t kMostInvocations = 1'000'000'000;  // of a function in a minute

// How many minutes there are.
Result<std::size_t> ReadHeader(std::string_view file, CsvLines& lines) {
  if (!lines.Next())
    return FailAt({std::string(file), 1, 1}, "no header row; expected HashOwner,HashApp,...");
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string expected =
        i < kFirstMinute ? std::string(kNames[i]) : std::to_string(i - kFirstMinute + 1);
    if (i >= kFirstMinute + kMinutesOfDay)
      return FailAt(lines.PlaceOf(i), "column '{}' after the {} minutes of a day", lines[i],
                    kMinutesOfDay);
    if (lines[i] != expected)
      return FailAt(lines.PlaceOf(i), "column '{}'; expected '{}'", lines[i], expected);
  }
  if (lines.size() <= kFirstMinute)
    return FailAt(lines.PlaceOf(0),
                  "no minutes; expected HashOwner,HashApp,HashFunction,Trigger,"
                  "1,2,...");
  return lines.size() - kFirstMinute;
}

Status CheckLine(const CsvLines& lines, std::size_t minutes) {
  if (lines.size() != kFirstMinute + minutes)
    return FailAt(lines.PlaceOf(0), "{} fields, but the header names {} columns", lines.size(),
                  kFirstMinute + minutes);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto name = lines.Name(i, kNames[i]);
    if (!name.has_value()) return tl::unexpected(name.error());
  }
  return {};
}

// The three names of a function together, as they stand in the text.
std::string_view FunctionOf(const CsvLines& lines) {
  const char* const begin = lines[0].data();
  return {begin, static_cast<std::size_t>(lines[2].data() + lines[2].size() - begin)};
}

// Who asks how often; checks every field.
struct Owners {
  Appearances names;
  std::vector<std::int64_t> totals;
};
Result<Owners> ReadOwners(std::string_view file, std::string_view text) {
  CsvLines lines(file, text);
  ASSIGN_OR_RETURN(const std::size_t minutes, ReadHeader(file, lines));
  Owners owners;
  while (lines.Next()) {
    RETURN_IF_ERROR(CheckLine(lines, minutes));
    const std::uint32_t owner = owners.names.IndexOf(lines[0]);
    if (owner == owners.totals.size()) owners.totals.push_back(0);
    for (std::size_t i = kFirstMinute; i < lines.size(); ++i) {
      ASSIGN_OR_RETURN(const std::int64_t count,
                       lines.Integer(i, "the number of invocations", 0, kMostInvocations));
      owners.totals[owner] += count;
    }
  }
  return owners;
}

Status AddInvocations(const CsvLines& lines, std::uint32_t owner, std::uint32_t function,
                      const TraceOptions& options, TraceRequests& requests) {
  RandomStream random(options.seed, fmt::format("azure-functions/{},{}", FunctionOf(lines),
                                                lines[kFirstMinute - 1]));
  for (std::size_t i = kFirstMinute; i < lines.size(); ++i) {
    const std::int64_t start = static_cast<std::int64_t>(i - kFirstMinute) * kMinute;
    const std::int64_t given = *lines.Integer(i, "", 0, kMostInvocations);
    const std::int64_t count = ScaledCount(given, options.scale, random);
    for (std::int64_t c = 0; c < count; ++c) {
      const auto within = static_cast<std::int64_t>(random.Below(kMinute));
      RETURN_IF_ERROR(requests.Add(owner, function, start + within));
    }
  }
  return {};
}

}  // namespace

Result<ImportedRequests> ParseAzureFunctions2019(std::string_view file, std::string_view text,
                                                 const TraceOptions& options) {
  ASSIGN_OR_RETURN(Owners owners, ReadOwners(file, text));
  const std::vector<bool> keep = KeepLargest(owners.totals, options.top);
  CsvLines lines(file, text);
  lines.Next();  // the header
  Appearances functions;
  TraceRequests requests(file, options);
  while (lines.Next()) {
    const std::uint32_t owner = owners.names.IndexOf(lines[0]);
    const std::uint32_t function = functions.IndexOf(FunctionOf(lines));
    if (keep[owner]) RETURN_IF_ERROR(AddInvocations(lines, owner, function, options, requests));
  }
  return ImportedRequests{.rows = requests.Finish(owners.names.names(), 0)};
}

}  // namespace fairlead
