// A scenario that the program carries, under several policies and seeds, on all cores: what
// experiments on scheduling are made of.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/report/figures.h"
#include "fairlead/report/html_page.h"
#include "fairlead/running/experiments.h"
#include "fairlead/scenario/yaml_reader.h"

namespace fairlead {

// What is run: scenarios/NAME.yaml with settings in place of what it says. A quick plan has two
// seeds and a tenth of the time.
struct GridWorld {
  std::string_view scenario;
  std::vector<Setting> settings = {};
  std::string name = {};  // of numbers and figures; empty: the scenario's
};

class PolicyGrid {
 public:
  // `share` is what of the plan's progress this is, from `begin` on; `seeds` at most as many as the
  // plan has.
  struct Part {
    double begin = 0;
    double share = 1;
    int seeds = 1000;
  };
  static Result<PolicyGrid> Run(const GridWorld& world, std::span<const std::string> policies,
                                const ExperimentPlan& plan, Part part);

  const std::string& name() const { return name_; }
  std::span<const std::string> policies() const { return policies_; }
  // Of one policy, by seed.
  std::span<const RunFigures> Of(std::string_view policy) const;

  using Measure = double (*)(const RunFigures&);
  std::vector<double> BySeed(std::string_view policy, Measure measure) const;
  // One number for each policy, by the name of "measure/NAME/policy".
  void AddNumbers(std::string_view name, Measure measure, ExperimentResults& results) const;
  // Mean and interval of several measures, a row for each policy.
  struct Column {
    std::string name;
    Measure measure;
    double scale = 100;
  };
  HtmlTable Table(std::string caption, std::span<const Column> columns) const;
  HtmlFigure HitRates() const;  // by agreement
  HtmlFigure Targets() const;   // what was promised and received

 private:
  PolicyGrid() = default;

  std::string name_;
  std::vector<std::string> policies_;
  std::size_t seeds_ = 0;
  std::vector<RunFigures> runs_;  // policy by policy, seed by seed
};

// One measure against another over several grids, a line for each policy.
struct FrontierAxis {
  std::string label;
  PolicyGrid::Measure measure;
};
HtmlFigure Frontier(std::span<const PolicyGrid> grids, std::string name, std::string title,
                    const FrontierAxis& x, const FrontierAxis& y);

}  // namespace fairlead
