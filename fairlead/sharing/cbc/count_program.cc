#include "fairlead/sharing/cbc/count_program.h"

#include <coin/Cbc_C_Interface.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace fairlead {
namespace {

struct DeleteModel {
  void operator()(Cbc_Model* model) const { Cbc_deleteModel(model); }
};
using Model = std::unique_ptr<Cbc_Model, DeleteModel>;

constexpr double kClose = 1e-7;

// What a stage knows: places that stay where they were, at least at these worths.
struct Stage {
  std::vector<double> floors;  // of each place; below 0: it is still to be raised
  std::vector<bool> is_fixed;
};

class Builder {
 public:
  Builder(const CountProgram& program, const Stage& stage)
      : program_(program), model_(Cbc_newModel()) {
    Cbc_setLogLevel(model_.get(), 0);
    Cbc_setParameter(model_.get(), "slogLevel", "0");
    Cbc_setObjSense(model_.get(), -1);
    for (std::size_t i = 0; i < program.worth.size(); ++i)
      Cbc_addCol(model_.get(), "", 0, program.available[i % Kinds()], 0, 1, 0, nullptr, nullptr);
    for (std::size_t k = 0; k < Kinds(); ++k) AddLimit(k);
    for (std::size_t p = 0; p < stage.is_fixed.size(); ++p) {
      if (stage.is_fixed[p]) AddWorth(p, -1, 0, stage.floors[p] - kClose);
    }
  }

  // A further variable with its weight in the objective.
  int AddColumn(double upper, double weight, bool is_integer) {
    Cbc_addCol(model_.get(), "", 0, upper, weight, is_integer ? 1 : 0, 0, nullptr, nullptr);
    return Cbc_getNumCols(model_.get()) - 1;
  }
  // The worth of a place, plus a term, is `least` or more.
  void AddWorth(std::size_t place, int column, double coefficient, double least) {
    std::vector<int> columns;
    std::vector<double> values;
    for (std::size_t k = 0; k < Kinds(); ++k) {
      columns.push_back(static_cast<int>(place * Kinds() + k));
      values.push_back(program_.worth[place * Kinds() + k]);
    }
    if (column >= 0) {
      columns.push_back(column);
      values.push_back(coefficient);
    }
    Cbc_addRow(model_.get(), "", static_cast<int>(columns.size()), columns.data(), values.data(),
               'G', least);
  }

  // False: nothing was found in time.
  bool Solve(double limit, CountSolution& solution) {
    Cbc_setMaximumSeconds(model_.get(), limit);
    Cbc_solve(model_.get());
    if (Cbc_isProvenInfeasible(model_.get()) != 0 || Cbc_numberSavedSolutions(model_.get()) == 0)
      return false;
    const double* values = Cbc_getColSolution(model_.get());
    for (std::size_t i = 0; i < program_.worth.size(); ++i)
      solution.counts[i] = static_cast<int>(std::lround(values[i]));
    const double found = Cbc_getObjValue(model_.get());
    const double bound = Cbc_getBestPossibleObjValue(model_.get());
    solution.gap = Cbc_isProvenOptimal(model_.get()) != 0 || bound <= 0
                       ? 0
                       : std::clamp((bound - found) / bound, 0.0, 1.0);
    return true;
  }

 private:
  std::size_t Kinds() const { return static_cast<std::size_t>(program_.kinds); }
  void AddLimit(std::size_t kind) {
    std::vector<int> columns;
    for (std::size_t i = kind; i < program_.worth.size(); i += Kinds())
      columns.push_back(static_cast<int>(i));
    const std::vector<double> ones(columns.size(), 1.0);
    Cbc_addRow(model_.get(), "", static_cast<int>(columns.size()), columns.data(), ones.data(), 'L',
               program_.available[kind]);
  }

  const CountProgram& program_;
  Model model_;
};

double WorthOf(const CountProgram& program, const CountSolution& solution, std::size_t place) {
  const auto kinds = static_cast<std::size_t>(program.kinds);
  double worth = 0;
  for (std::size_t i = place * kinds; i < (place + 1) * kinds; ++i)
    worth += program.worth[i] * solution.counts[i];
  return worth;
}

double WorstRaised(const CountProgram& program, const Stage& stage, const CountSolution& solution) {
  double worst = std::numeric_limits<double>::infinity();
  for (std::size_t p = 0; p < stage.is_fixed.size(); ++p) {
    if (!stage.is_fixed[p]) worst = std::min(worst, WorthOf(program, solution, p));
  }
  return worst;
}

bool RaiseWorst(const CountProgram& program, const Stage& stage, double limit,
                CountSolution& solution) {
  Builder builder(program, stage);
  const int worst = builder.AddColumn(1e6, 1, false);
  for (std::size_t p = 0; p < stage.is_fixed.size(); ++p) {
    if (!stage.is_fixed[p]) builder.AddWorth(p, worst, -1, 0);
  }
  return builder.Solve(limit, solution);
}

// All keep `least`; as many as can be have more, by at least a thousandth.
bool FewestAt(const CountProgram& program, const Stage& stage, double least, double limit,
              CountSolution& solution) {
  Builder builder(program, stage);
  for (std::size_t p = 0; p < stage.is_fixed.size(); ++p) {
    if (stage.is_fixed[p]) continue;
    const int above = builder.AddColumn(1, 1, true);
    builder.AddWorth(p, above, -1e-3, least - kClose);
  }
  return builder.Solve(limit, solution);
}

CountSolution SolveCounts(const CountProgram& program, bool lexicographic, double limit) {
  CountSolution solution;
  solution.counts.assign(program.worth.size(), 0);
  const std::size_t places = program.worth.size() / static_cast<std::size_t>(program.kinds);
  Stage stage{.floors = std::vector<double>(places, 0), .is_fixed = std::vector<bool>(places)};
  if (!RaiseWorst(program, stage, limit, solution)) {
    solution.gap = 1;
    return solution;
  }
  const double gap = solution.gap;
  for (std::size_t fixed = 0; lexicographic && fixed < places;) {
    const double worst = WorstRaised(program, stage, solution);
    if (!FewestAt(program, stage, worst, limit, solution)) break;
    const std::size_t before = fixed;
    for (std::size_t p = 0; p < places; ++p) {
      if (stage.is_fixed[p] || WorthOf(program, solution, p) >= worst + 1e-3 - kClose) continue;
      stage.is_fixed[p] = true;
      stage.floors[p] = worst;
      ++fixed;
    }
    if (fixed == before || fixed == places) break;
    if (!RaiseWorst(program, stage, limit, solution)) break;
  }
  solution.gap = gap;
  return solution;
}

}  // namespace

Result<CountSolver> MakeCbcSolver(bool lexicographic, double limit) {
  return [lexicographic, limit](const CountProgram& program) {
    return SolveCounts(program, lexicographic, limit);
  };
}

}  // namespace fairlead
