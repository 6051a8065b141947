#include "tests/costs/timeloop_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "fairlead/scenario/accelerator_catalogue.h"
#include "fairlead/scenario/files.h"

namespace fairlead {
namespace {

LayerCost Cost(std::string_view accelerator, const LayerShape& shape) {
  const auto known = BuiltInAccelerators();
  return std::ranges::find(known, accelerator, &AcceleratorModel::name)->Cost(shape, 1);
}

std::vector<Reference> ReadReferences() {
  const std::string file = "data/timeloop/layers.csv";
  const auto table = CsvTable::Parse(
      file, ReadFile(file).value(),
      {"model", "layer", "N", "K", "C", "P", "Q", "R", "S", "stride", "arch", "cycles", "energy_pJ",
       "dram_over_compulsory", "all_occurrences", "dram_read_bytes", "dram_write_bytes"},
      {"n_occurrences", "macs", "macs_mapped", "compute_cycles", "utilization", "dram_energy_pJ",
       "word_bits", "cycles_over_roofline"});
  if (!table) throw std::runtime_error(table.error().message);
  std::vector<Reference> references;
  for (std::size_t row = 0; row < table->rows(); ++row) {
    const std::string_view name = table->Text(row, "arch");
    references.push_back(
        {.network = std::string(table->Text(row, "model")),
         .accelerator = std::string(name == "eyeriss8" ? "eyeriss" : name),
         .occurrences = 1 + std::ranges::count(table->Text(row, "all_occurrences"), ' '),
         .shape = ShapeOf(*table, row),
         .cycles = Number(*table, row, "cycles"),
         .dram_bytes =
             Number(*table, row, "dram_read_bytes") + Number(*table, row, "dram_write_bytes"),
         .energy_pj = Number(*table, row, "energy_pJ"),
         .over_compulsory = Number(*table, row, "dram_over_compulsory")});
  }
  return references;
}

// Ranks from 0; equal values share the mean of theirs.
std::vector<double> Ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<double> ranks(values.size());
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    for (std::size_t i = begin; i < end; ++i)
      ranks[order[i]] = static_cast<double>(begin + end - 1) / 2;
  }
  return ranks;
}

double Correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto size = static_cast<double>(a.size());
  const double mean_a = std::accumulate(a.begin(), a.end(), 0.0) / size;
  const double mean_b = std::accumulate(b.begin(), b.end(), 0.0) / size;
  double ab = 0;
  double aa = 0;
  double bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return ab / std::sqrt(aa * bb);
}

bool Any(const Reference&) { return true; }
bool Converged(const Reference& reference) { return reference.over_compulsory < 2; }

template <typename Ours, typename Theirs>
TimeloopComparison Compare(std::string_view accelerator, bool (*chosen)(const Reference&),
                           Ours ours, Theirs theirs) {
  TimeloopComparison comparison;
  for (const Reference& reference : References()) {
    if (reference.accelerator != accelerator || !chosen(reference)) continue;
    comparison.ours.push_back(ours(Cost(accelerator, reference.shape)));
    comparison.theirs.push_back(reference.*theirs);
  }
  return comparison;
}

double Latency(const LayerCost& cost) { return static_cast<double>(cost.latency.count()); }
double Traffic(const LayerCost& cost) { return static_cast<double>(cost.DramBytes()); }
double Energy(const LayerCost& cost) { return cost.energy.Total(); }

// The sums over each network, ours over theirs.
template <typename Ours, typename Theirs>
std::map<std::string, double> Sums(std::string_view accelerator, bool (*chosen)(const Reference&),
                                   Ours ours, Theirs theirs) {
  struct Sum {
    double ours = 0;
    double theirs = 0;
  };
  std::map<std::string, Sum> sums;
  for (const Reference& reference : References()) {
    if (reference.accelerator != accelerator || !chosen(reference)) continue;
    const auto times = static_cast<double>(reference.occurrences);
    Sum& sum = sums[reference.network];
    sum.ours += times * ours(Cost(accelerator, reference.shape));
    sum.theirs += times * reference.*theirs;
  }
  std::map<std::string, double> ratios;
  for (const auto& [network, sum] : sums) ratios[network] = sum.ours / sum.theirs;
  return ratios;
}

std::vector<double> Errors(const TimeloopComparison& comparison) {
  std::vector<double> errors;
  for (std::size_t i = 0; i < comparison.ours.size(); ++i)
    errors.push_back(std::abs(comparison.ours[i] / comparison.theirs[i] - 1));
  std::ranges::sort(errors);
  return errors;
}

}  // namespace

std::string ShapeText(const LayerShape& s) {
  return fmt::format("n {} k {} c {} p {} q {} r {} s {} stride {} groups {}", s.n, s.k, s.c, s.p,
                     s.q, s.r, s.s, s.stride, s.groups);
}

double Number(const CsvTable& table, std::size_t row, std::string_view column) {
  return table.Number(row, column, 0, 1e18).value();
}

LayerShape ShapeOf(const CsvTable& table, std::size_t row) {
  const auto size = [&](std::string_view column) {
    return table.Integer(row, column, 1, 1'000'000).value();
  };
  return {.n = size("N"),
          .k = size("K"),
          .c = size("C"),
          .p = size("P"),
          .q = size("Q"),
          .r = size("R"),
          .s = size("S"),
          .stride = size("stride")};
}

const std::vector<Reference>& References() {
  static const std::vector<Reference> references = ReadReferences();
  return references;
}

double TimeloopComparison::Error(double quantile) const {
  const auto errors = Errors(*this);
  return errors[static_cast<std::size_t>(
      std::llround(quantile * static_cast<double>(errors.size() - 1)))];
}

double TimeloopComparison::ShareWithin(double error) const {
  const auto errors = Errors(*this);
  const auto inside = std::ranges::upper_bound(errors, error) - errors.begin();
  return static_cast<double>(inside) / static_cast<double>(errors.size());
}

double TimeloopComparison::RankCorrelation() const {
  return Correlation(Ranks(ours), Ranks(theirs));
}

TimeloopComparison Latencies(std::string_view accelerator) {
  return Compare(accelerator, &Any, &Latency, &Reference::cycles);
}
TimeloopComparison Traffics(std::string_view accelerator) {
  return Compare(accelerator, &Converged, &Traffic, &Reference::dram_bytes);
}
TimeloopComparison Energies(std::string_view accelerator) {
  return Compare(accelerator, &Converged, &Energy, &Reference::energy_pj);
}

std::map<std::string, double> LatenciesOfNetworks(std::string_view accelerator) {
  return Sums(accelerator, &Any, &Latency, &Reference::cycles);
}
std::map<std::string, double> EnergiesOfNetworks(std::string_view accelerator) {
  return Sums(accelerator, &Converged, &Energy, &Reference::energy_pj);
}

}  // namespace fairlead
