#include "benchmarks/integer_program.h"

#include <coin/Cbc_C_Interface.h>
#include <fmt/format.h>

#include <memory>

#include "fairlead/base/check.h"

namespace fairlead {
namespace {

struct Delete {
  void operator()(Cbc_Model* model) const { Cbc_deleteModel(model); }
};

}  // namespace

int IntegerProgram::AddChoice(double weight) {
  weights_.push_back(weight);
  return static_cast<int>(weights_.size()) - 1;
}

void IntegerProgram::AddConstraint(double lower, double upper, std::span<const Term> terms) {
  rows_.push_back({lower, upper, {terms.begin(), terms.end()}});
}

std::optional<IntegerProgram::Solution> IntegerProgram::Maximise() const {
  // By column, as CBC wants it.
  std::vector<std::vector<Term>> columns(weights_.size());
  std::vector<double> lower;
  std::vector<double> upper;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    lower.push_back(rows_[r].lower);
    upper.push_back(rows_[r].upper);
    for (const Term& term : rows_[r].terms)
      columns[static_cast<std::size_t>(term.choice)].push_back(
          {static_cast<int>(r), term.coefficient});
  }
  std::vector<CoinBigIndex> starts = {0};
  std::vector<int> rows;
  std::vector<double> values;
  for (const std::vector<Term>& column : columns) {
    for (const Term& term : column) {
      rows.push_back(term.choice);
      values.push_back(term.coefficient);
    }
    starts.push_back(static_cast<CoinBigIndex>(values.size()));
  }
  const std::vector<double> zeros(weights_.size(), 0);
  const std::vector<double> ones(weights_.size(), 1);

  const std::unique_ptr<Cbc_Model, Delete> model(Cbc_newModel());
  Cbc_setLogLevel(model.get(), 0);
  Cbc_setParameter(model.get(), "slogLevel", "0");
  Cbc_loadProblem(model.get(), static_cast<int>(weights_.size()), static_cast<int>(rows_.size()),
                  starts.data(), rows.data(), values.data(), zeros.data(), ones.data(),
                  weights_.data(), lower.data(), upper.data());
  Cbc_setObjSense(model.get(), -1);
  for (std::size_t c = 0; c < weights_.size(); ++c)
    Cbc_setInteger(model.get(), static_cast<int>(c));
  Cbc_setAllowableGap(model.get(), 0);
  Cbc_solve(model.get());
  if (Cbc_isProvenInfeasible(model.get()) != 0) return std::nullopt;
  CHECK_MSG(Cbc_isProvenOptimal(model.get()) != 0,
            fmt::format("CBC stopped without an answer: status {}, {}", Cbc_status(model.get()),
                        Cbc_secondaryStatus(model.get())));
  Solution solution{.objective = Cbc_getObjValue(model.get()), .chosen = {}};
  const double* values_of = Cbc_getColSolution(model.get());
  for (std::size_t c = 0; c < weights_.size(); ++c) solution.chosen.push_back(values_of[c] > 0.5);
  return solution;
}

}  // namespace fairlead
