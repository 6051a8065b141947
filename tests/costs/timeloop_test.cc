// The analytical accelerators beside what Timeloop's mapper and Accelergy's energies say about the
// same layers: data/timeloop. The figures that docs/costs.md quotes are printed by
// `accelerators_test --gtest_filter=*Figures*`.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <numeric>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "fairlead/base/csv.h"
#include "fairlead/config/accelerator_catalogue.h"
#include "fairlead/config/files.h"
#include "fairlead/networks/zoo.h"

namespace fairlead {
namespace {

LayerCost Cost(std::string_view accelerator, const LayerShape& shape) {
  const auto known = BuiltInAccelerators();
  return std::ranges::find(known, accelerator, &AcceleratorModel::name)->Cost(shape, 1);
}

std::string Describe(const LayerShape& s) {
  return fmt::format("n {} k {} c {} p {} q {} r {} s {} stride {} groups {}", s.n, s.k, s.c, s.p,
                     s.q, s.r, s.s, s.stride, s.groups);
}

struct Reference {
  std::string network;
  std::string accelerator;
  std::int64_t occurrences = 0;
  LayerShape shape;
  double cycles = 0;
  double dram_bytes = 0;
  double energy_pj = 0;
  double over_compulsory = 0;  // its traffic
};

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

std::vector<Reference> ReadReferences() {
  std::ifstream file("data/timeloop/layers.csv");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto table = CsvTable::Parse(
      "data/timeloop/layers.csv", text,
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

const std::vector<Reference>& References() {
  static const std::vector<Reference> references = ReadReferences();
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

// Our figures beside the reference's.
struct Comparison {
  std::vector<double> ours;
  std::vector<double> theirs;

  std::vector<double> Errors() const {
    std::vector<double> errors;
    for (std::size_t i = 0; i < ours.size(); ++i)
      errors.push_back(std::abs(ours[i] / theirs[i] - 1));
    std::ranges::sort(errors);
    return errors;
  }
  double Error(double quantile) const {
    const auto errors = Errors();
    return errors[static_cast<std::size_t>(
        std::llround(quantile * static_cast<double>(errors.size() - 1)))];
  }
  double ShareWithin(double error) const {
    const auto errors = Errors();
    const auto inside = std::ranges::upper_bound(errors, error) - errors.begin();
    return static_cast<double>(inside) / static_cast<double>(errors.size());
  }
  double RankCorrelation() const { return Correlation(Ranks(ours), Ranks(theirs)); }
};

bool Any(const Reference&) { return true; }
// Rows where the search came near its bound; the others say more about the search.
bool Converged(const Reference& reference) { return reference.over_compulsory < 2; }

template <typename Ours, typename Theirs>
Comparison Compare(std::string_view accelerator, bool (*chosen)(const Reference&), Ours ours,
                   Theirs theirs) {
  Comparison comparison;
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

Comparison Latencies(std::string_view accelerator, bool (*chosen)(const Reference&) = &Any) {
  return Compare(accelerator, chosen, &Latency, &Reference::cycles);
}
Comparison Traffics(std::string_view accelerator) {
  return Compare(accelerator, &Converged, &Traffic, &Reference::dram_bytes);
}
Comparison Energies(std::string_view accelerator) {
  return Compare(accelerator, &Converged, &Energy, &Reference::energy_pj);
}

// What the models reach, a little below what was measured. Where that is less than the floors of
// docs/costs.md, the rows that cause it are named there.
struct Bars {
  std::string_view accelerator;
  double latency_rank, latency_within_10_percent;
  double traffic_median, traffic_p90;
  double energy_rank, energy_median, energy_p90;
  double energy_of_networks;  // error of the sum over a network
};

void PrintTo(const Bars& bars, std::ostream* out) { *out << bars.accelerator; }

class AgainstTimeloop : public ::testing::TestWithParam<Bars> {};

INSTANTIATE_TEST_SUITE_P(
    Accelerators, AgainstTimeloop,
    ::testing::Values(Bars{"simba", .998, .98, .01, .12, .975, .03, .18, .09},
                      Bars{"gemmini", .985, .96, .01, .35, .99, .03, .07, .09},
                      Bars{"eyeriss", .998, .99, .01, .26, .99, .045, .07, .15},
                      Bars{"eyeriss16", .992, .96, .07, .36, .985, .06, .16, .15}));

TEST_P(AgainstTimeloop, HasEveryRow) {
  EXPECT_EQ(Latencies(GetParam().accelerator).ours.size(), 55);
}

TEST_P(AgainstTimeloop, OrdersLatenciesAlike) {
  EXPECT_GE(Latencies(GetParam().accelerator).RankCorrelation(), GetParam().latency_rank);
}

TEST_P(AgainstTimeloop, HasNoMedianErrorOfLatency) {
  EXPECT_LE(Latencies(GetParam().accelerator).Error(0.5), 0.001);
}

TEST_P(AgainstTimeloop, HasMostLatenciesWithin10Percent) {
  EXPECT_GE(Latencies(GetParam().accelerator).ShareWithin(0.10),
            GetParam().latency_within_10_percent);
}

TEST_P(AgainstTimeloop, HasASmallMedianErrorOfTraffic) {
  EXPECT_LE(Traffics(GetParam().accelerator).Error(0.5), GetParam().traffic_median);
}

TEST_P(AgainstTimeloop, HasFewLargeErrorsOfTraffic) {
  EXPECT_LE(Traffics(GetParam().accelerator).Error(0.9), GetParam().traffic_p90);
}

TEST_P(AgainstTimeloop, OrdersEnergiesAlike) {
  EXPECT_GE(Energies(GetParam().accelerator).RankCorrelation(), GetParam().energy_rank);
}

TEST_P(AgainstTimeloop, HasASmallMedianErrorOfEnergy) {
  EXPECT_LE(Energies(GetParam().accelerator).Error(0.5), GetParam().energy_median);
}

TEST_P(AgainstTimeloop, HasFewLargeErrorsOfEnergy) {
  EXPECT_LE(Energies(GetParam().accelerator).Error(0.9), GetParam().energy_p90);
}

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

TEST_P(AgainstTimeloop, AddsUpLatenciesWithin4Percent) {
  for (const auto& [network, ratio] :
       Sums(GetParam().accelerator, &Any, &Latency, &Reference::cycles))
    EXPECT_NEAR(ratio, 1, 0.04) << network;
}

TEST_P(AgainstTimeloop, AddsUpEnergiesToAboutTheSame) {
  for (const auto& [network, ratio] :
       Sums(GetParam().accelerator, &Converged, &Energy, &Reference::energy_pj))
    EXPECT_NEAR(ratio, 1, GetParam().energy_of_networks) << network;
}

TEST(AgainstTimeloopFigures, ArePrinted) {
  for (const std::string_view name : {"simba", "gemmini", "eyeriss", "eyeriss16"}) {
    const Comparison latency = Latencies(name);
    const Comparison traffic = Traffics(name);
    const Comparison energy = Energies(name);
    fmt::print(
        "{:<10} latency: rank {:.3f}, median {:.1f} %, p90 {:.1f} %, within 10 % {:.0f} %; "
        "traffic: median {:.1f} %, p90 {:.1f} %; energy: rank {:.3f}, median {:.1f} %, p90 {:.1f} "
        "%\n",
        name, latency.RankCorrelation(), 100 * latency.Error(0.5), 100 * latency.Error(0.9),
        100 * latency.ShareWithin(0.10), 100 * traffic.Error(0.5), 100 * traffic.Error(0.9),
        energy.RankCorrelation(), 100 * energy.Error(0.5), 100 * energy.Error(0.9));
    for (const auto& [network, ratio] : Sums(name, &Any, &Latency, &Reference::cycles))
      fmt::print("{:<10}   {}: latency {:.3f}, energy {:.3f} of theirs\n", "", network, ratio,
                 Sums(name, &Converged, &Energy, &Reference::energy_pj)[network]);
  }
}

AcceleratorModel ParseModel(const std::string& text) {
  return FindAcceleratorModel("model.yaml",
                              [&](const std::string&) { return Result<std::string>(text); })
      .value();
}

// SCALE-Sim counts filling and draining a systolic array of 16 x 16: 46 cycles for each tile of
// weights. It folds the kernel into the rows; layers whose inputs fill the rows come out equal.
TEST(FillAndDrain, EqualsScaleSimWhereTheRowsAreFull) {
  const auto model =
      ParseModel("{name: filled, like: gemmini, array: {fill_and_drain_cycles: 46}}");
  const std::string file = "data/timeloop/systolic_16x16.csv";
  const auto table = CsvTable::Parse(file, ReadFile(file).value(),
                                     {"model", "layer", "N", "K", "C", "P", "Q", "R", "S", "stride",
                                      "macs", "cycles_formula", "cycles_simulated"},
                                     {})
                         .value();
  int compared = 0;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const LayerShape shape = ShapeOf(table, row);
    if (shape.c % 16 != 0) continue;
    const LayerCost cost = model.Cost(shape, 1);
    if (cost.bound != Bound::kArithmetic) continue;
    ++compared;
    EXPECT_EQ(static_cast<double>(cost.latency.count()), Number(table, row, "cycles_formula") + 1)
        << Describe(shape);
  }
  EXPECT_GT(compared, 20);
}

struct NamesOfANetwork {
  std::string_view ours;
  std::string_view theirs;
};

void PrintTo(const NamesOfANetwork& names, std::ostream* out) { *out << names.ours; }

class LayersOfANetwork : public ::testing::TestWithParam<NamesOfANetwork> {};

INSTANTIATE_TEST_SUITE_P(Networks, LayersOfANetwork,
                         ::testing::Values(NamesOfANetwork{"alexnet", "alexnet"},
                                           NamesOfANetwork{"resnet50", "resnet50"},
                                           NamesOfANetwork{"yolo-v3", "yolov3"}));

TEST_P(LayersOfANetwork, AreThoseThatTimeloopWasGiven) {
  std::map<std::string, std::int64_t> ours;
  std::map<std::string, std::int64_t> theirs;
  const auto network = std::ranges::find(Zoo(), GetParam().ours, &LayeredNetwork::name);
  for (const NetworkLayer& layer : network->layers) {
    if (layer.shape.Multiplies()) ++ours[Describe(layer.shape)];
  }
  for (const Reference& reference : References()) {
    if (reference.accelerator == "simba" && reference.network == GetParam().theirs)
      theirs[Describe(reference.shape)] += reference.occurrences;
  }
  EXPECT_EQ(ours, theirs);
}

}  // namespace
}  // namespace fairlead
