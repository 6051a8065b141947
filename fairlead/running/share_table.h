// Experiments on sharing that are a table of settings, mechanisms and measures.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fairlead/running/share_grid.h"

namespace fairlead {

struct ShareSetting {
  std::string name;      // in numbers: "deadline-3"
  std::string words;     // in titles
  std::string scenario;  // of scenarios/sharing/
  std::function<void(RoundWorld&)> change{};
};

struct ShareMeasure {
  std::string name;  // in numbers: "welfare"
  std::string unit;  // on axes
  ShareGrid::Measure of;
  bool plotted = false;
};

struct ShareTable {
  std::vector<ShareSetting> settings;
  std::vector<ShareGridCase> cases;
  std::vector<ShareMeasure> measures;
  bool envy = false;
  bool by_load = false;   // numbers of each queue utility too
  bool by_class = false;  // throughput of each weight too
  // The case that others are compared with, seed by seed, in the first measure; may be empty.
  std::string against{};
  // What a setting's runs say beside the measures; may be empty.
  std::function<void(const ShareSetting&, const ShareGrid&, ExperimentResults&)> also{};
};

// Numbers are called MEASURE/SETTING/CASE, means over queue utilities; with `by_load` also
// MEASURE/SETTING@60/CASE; of classes throughput-w4/SETTING/CASE; of a case to compare with
// over-AGAINST/SETTING/CASE, ratios of the first measure.
Result<ExperimentResults> RunShareTable(const ShareTable& table, const ExperimentPlan& plan);

}  // namespace fairlead
