// The rows of data/timeloop, and our figures beside them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/csv.h"
#include "fairlead/networks/layer.h"

namespace fairlead {

std::string ShapeText(const LayerShape& shape);
double Number(const CsvTable& table, std::size_t row, std::string_view column);
LayerShape ShapeOf(const CsvTable& table, std::size_t row);

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

const std::vector<Reference>& References();

struct TimeloopComparison {
  std::vector<double> ours;
  std::vector<double> theirs;

  double Error(double quantile) const;  // relative
  double ShareWithin(double error) const;
  double RankCorrelation() const;
};

// Traffic and energy of rows where the search came near its bound; the others say more about the
// search.
TimeloopComparison Latencies(std::string_view accelerator);
TimeloopComparison Traffics(std::string_view accelerator);
TimeloopComparison Energies(std::string_view accelerator);

// The sums over each network, ours over theirs.
std::map<std::string, double> LatenciesOfNetworks(std::string_view accelerator);
std::map<std::string, double> EnergiesOfNetworks(std::string_view accelerator);

}  // namespace fairlead
