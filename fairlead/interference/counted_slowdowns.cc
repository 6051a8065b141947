#include "fairlead/interference/counted_slowdowns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "fairlead/base/check.h"
#include "fairlead/base/csv.h"

namespace fairlead {
namespace {

constexpr double kLongestMeasured = 1e12;  // microseconds

class CountedSlowdowns final : public InterferenceModel {
 public:
  explicit CountedSlowdowns(std::vector<double> slowdowns)
      : slowdowns_(std::move(slowdowns)), caps_(MakeBandwidthSharing(Sharing::kNone, 0)) {
    CHECK(!slowdowns_.empty());
  }

  void Rates(std::span<const RunningSegment> running, std::span<Rate> rates) override {
    caps_->Rates(running, rates);
    const auto segments = static_cast<std::size_t>(std::ranges::count_if(
        running, [](const RunningSegment& one) { return one.network.valid(); }));
    if (segments == 0) return;
    const double slowdown = slowdowns_[std::min(segments, slowdowns_.size()) - 1];
    for (std::size_t i = 0; i < running.size(); ++i) {
      if (!running[i].network.valid()) continue;  // a decision
      rates[i] = std::max<Rate>(static_cast<Rate>(static_cast<double>(rates[i]) / slowdown), 1);
    }
  }

 private:
  std::vector<double> slowdowns_;
  std::unique_ptr<InterferenceModel> caps_;
};

// The columns that begin with "us_", in their order.
std::vector<std::string> Partitions(std::string_view text) {
  std::vector<std::string> columns;
  CsvLines lines("", text);
  if (!lines.Next()) return columns;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].starts_with("us_")) columns.emplace_back(lines[i]);
  }
  return columns;
}

}  // namespace

std::unique_ptr<InterferenceModel> MakeCountedSlowdowns(std::vector<double> slowdowns) {
  return std::make_unique<CountedSlowdowns>(std::move(slowdowns));
}

Result<std::vector<double>> CountSlowdowns(const TableText& alone, const TableText& mixes) {
  const std::vector<std::string> columns = Partitions(alone.text);
  if (columns.empty()) return Fail("{}: no column of latencies; expected us_...", alone.file);
  std::vector<std::string_view> names = {"model"};
  names.insert(names.end(), columns.begin(), columns.end());
  ASSIGN_OR_RETURN(const CsvTable solo, CsvTable::Parse(alone.file, alone.text, names, {}));
  std::map<std::string, std::vector<double>> latencies;
  for (std::size_t row = 0; row < solo.rows(); ++row) {
    ASSIGN_OR_RETURN(const std::string_view model, solo.Name(row, "model"));
    for (const std::string& column : columns) {
      ASSIGN_OR_RETURN(const double us, solo.Number(row, column, 1e-3, kLongestMeasured));
      latencies[std::string(model)].push_back(us);
    }
  }
  std::vector<std::string> places;
  for (std::size_t p = 0; p < columns.size(); ++p) places.push_back(fmt::format("p{}", p));
  for (std::size_t p = 0; p < columns.size(); ++p) places.push_back(fmt::format("us_p{}", p));
  ASSIGN_OR_RETURN(const CsvTable table,
                   CsvTable::Parse(mixes.file, mixes.text, {places.begin(), places.end()}, {}));
  std::vector<double> sums(columns.size(), 0);
  std::vector<double> counts(columns.size(), 0);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    std::vector<double> logs;
    for (std::size_t p = 0; p < columns.size(); ++p) {
      const std::string model(table.Text(row, places[p]));
      if (model.empty()) continue;
      const auto known = latencies.find(model);
      if (known == latencies.end())
        return FailAt(table.PlaceOf(row, places[p]), "{} has no network '{}'", alone.file, model);
      ASSIGN_OR_RETURN(const double us,
                       table.Number(row, places[columns.size() + p], 1e-3, kLongestMeasured));
      logs.push_back(std::log(us / known->second[p]));
    }
    for (const double log : logs) {
      sums[logs.size() - 1] += log;
      counts[logs.size() - 1] += 1;
    }
  }
  std::vector<double> slowdowns = {1};
  for (std::size_t others = 1; others < columns.size(); ++others) {
    const double mean = counts[others] > 0 ? std::exp(sums[others] / counts[others]) : 1;
    slowdowns.push_back(std::max(mean, slowdowns.back()));
  }
  return slowdowns;
}

}  // namespace fairlead
