// Numbers and figures of an experiment, from the rows of its runs by expressions.
//
// An expression is evaluated at a world, a point, a policy and a seed. Its terms are numbers,
// figures of the row there ("welfare"), those of another row ("welfare[themis]",
// "hit_rate[@without]" in another world, "hit_rate[*:drop=early]" of the policy among these whose
// mean of it is largest), and x, the point. It has + - * / < >, parentheses, min(a, b), max(a, b),
// abs(a), and mean(e), low(e), high(e): over all seeds, the mean and the ends of its interval. What
// is missing, or divided by zero, makes a result missing, and it counts nowhere.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "fairlead/running/experiments.h"

namespace fairlead {

// The rows of a grid, by what they are of.
class ExperimentRows {
 public:
  ExperimentRows(const ExperimentGrid& grid, std::vector<ExperimentRow> rows);

  struct At {
    std::string world;
    double x = 0;
    std::string policy;
    std::uint64_t seed = 1;
    auto operator<=>(const At&) const = default;
  };
  const ExperimentRow* Find(const At& at) const;
  const std::vector<ExperimentRow>& all() const { return rows_; }
  const std::vector<std::string>& worlds() const { return worlds_; }  // in the order of the rows
  const std::vector<std::string>& policies() const { return policies_; }
  const std::set<std::uint64_t>& seeds() const { return seeds_; }
  std::vector<double> Points(std::string_view world) const;
  bool Knows(std::string_view figure) const { return figures_.contains(figure); }

 private:
  std::vector<ExperimentRow> rows_;
  std::vector<std::string> worlds_;
  std::vector<std::string> policies_;
  std::set<std::uint64_t> seeds_;
  std::set<std::string, std::less<>> figures_;
  std::map<At, std::size_t> index_;
};

// Not a number where it is missing; fails where the expression is wrong.
Result<double> Evaluate(std::string_view expression, const ExperimentRows& rows,
                        const ExperimentRows::At& at);

// Of each seed the mean over a world's points.
Result<std::vector<double>> BySeed(std::string_view expression, const ExperimentRows& rows,
                                   ExperimentRows::At at);

Status AddNumbers(const std::vector<NumberSpec>& specs, const ExperimentRows& rows,
                  ExperimentResults& results);
// With a table of each world: policies by numbers.
Status AddFigures(const ExperimentGrid& grid, const ExperimentRows& rows,
                  ExperimentResults& results);

}  // namespace fairlead
