#include "fairlead/workload/linear_program.h"

#include <algorithm>
#include <cmath>
#include <coin/ClpSimplex.hpp>
#include <coin/CoinError.hpp>
#include <coin/CoinPackedMatrix.hpp>
#include <vector>

#include "fairlead/base/check.h"

namespace fairlead {
namespace {

double OrClpInfinity(double bound) {
  if (bound == LinearProgram::kInfinity) return COIN_DBL_MAX;
  if (bound == -LinearProgram::kInfinity) return -COIN_DBL_MAX;
  return bound;
}

}  // namespace

// Collects the program, and hands it to CLP as a whole at the first Maximise.
class LinearProgram::Model {
 public:
  struct Entry {
    int row;
    int column;
    double value;
  };

  bool loaded = false;
  ClpSimplex clp;
  std::vector<Entry> entries;
  std::vector<double> column_upper;
  std::vector<double> objective;  // negated: CLP minimises
  std::vector<double> row_lower;
  std::vector<double> row_upper;

  void Load() {
    std::ranges::sort(entries, [](const Entry& a, const Entry& b) {
      return a.column != b.column ? a.column < b.column : a.row < b.row;
    });
    std::vector<int> rows;
    std::vector<double> values;
    std::vector<CoinBigIndex> starts;
    int last_row = -1;
    for (const Entry& entry : entries) {
      while (static_cast<int>(starts.size()) <= entry.column) {
        starts.push_back(static_cast<CoinBigIndex>(values.size()));
        last_row = -1;
      }
      if (entry.row == last_row) {
        values.back() += entry.value;
      } else {
        rows.push_back(entry.row);
        values.push_back(entry.value);
        last_row = entry.row;
      }
    }
    starts.resize(column_upper.size() + 1, static_cast<CoinBigIndex>(values.size()));
    const std::vector<double> column_lower(column_upper.size(), 0);
    clp.setLogLevel(0);
    clp.loadProblem(static_cast<int>(column_upper.size()), static_cast<int>(row_lower.size()),
                    starts.data(), rows.data(), values.data(), column_lower.data(),
                    column_upper.data(), objective.data(), row_lower.data(), row_upper.data());
    entries = {};
    loaded = true;
  }
};

LinearProgram::LinearProgram() : model_(std::make_unique<Model>()) {}
LinearProgram::~LinearProgram() = default;
LinearProgram::LinearProgram(LinearProgram&&) noexcept = default;
LinearProgram& LinearProgram::operator=(LinearProgram&&) noexcept = default;

int LinearProgram::AddVariable(double upper) {
  CHECK(!model_->loaded);
  model_->column_upper.push_back(OrClpInfinity(upper));
  model_->objective.push_back(0);
  return static_cast<int>(model_->column_upper.size()) - 1;
}

int LinearProgram::AddConstraint(double lower, double upper, std::span<const Term> terms) {
  if (!model_->loaded) {
    model_->row_lower.push_back(OrClpInfinity(lower));
    model_->row_upper.push_back(OrClpInfinity(upper));
    const int constraint = static_cast<int>(model_->row_lower.size()) - 1;
    for (const Term& term : terms) AddTerm(constraint, term);
    return constraint;
  }
  std::vector<Term> sorted(terms.begin(), terms.end());
  std::ranges::sort(sorted, {}, &Term::variable);
  std::vector<int> columns;
  std::vector<double> values;
  for (const Term& term : sorted) {
    if (!columns.empty() && columns.back() == term.variable) {
      values.back() += term.coefficient;
    } else {
      columns.push_back(term.variable);
      values.push_back(term.coefficient);
    }
  }
  model_->clp.addRow(static_cast<int>(columns.size()), columns.data(), values.data(),
                     OrClpInfinity(lower), OrClpInfinity(upper));
  return model_->clp.numberRows() - 1;
}

void LinearProgram::AddTerm(int constraint, Term term) {
  CHECK(!model_->loaded);
  if (term.coefficient != 0)
    model_->entries.push_back({constraint, term.variable, term.coefficient});
}

void LinearProgram::SetObjective(int variable, double weight) {
  if (model_->loaded) {
    model_->clp.setObjectiveCoefficient(variable, -weight);
  } else {
    model_->objective[static_cast<std::size_t>(variable)] = -weight;
  }
}

void LinearProgram::SetUpper(int variable, double upper) {
  if (model_->loaded) {
    model_->clp.setColumnUpper(variable, OrClpInfinity(upper));
  } else {
    model_->column_upper[static_cast<std::size_t>(variable)] = OrClpInfinity(upper);
  }
}

Result<double> LinearProgram::Maximise() {
  try {
    if (!model_->loaded) model_->Load();
    model_->clp.dual();
    // What the dual simplex leaves undecided, the primal one settles.
    if (model_->clp.status() != 0) model_->clp.primal();
  } catch (const CoinError& error) {
    return Fail("linear program: {}", error.message());
  }
  switch (model_->clp.status()) {
    case 0: return -model_->clp.objectiveValue();
    case 1: return Fail("linear program: nothing satisfies all constraints");
    case 2: return Fail("{}", kNoLimit);
    default: return Fail("linear program: the solver stopped without an answer");
  }
}

double LinearProgram::Value(int variable) const {
  CHECK(model_->loaded);
  return model_->clp.primalColumnSolution()[variable];
}

double LinearProgram::Price(int constraint) const {
  CHECK(model_->loaded);
  return std::abs(model_->clp.dualRowSolution()[constraint]);
}

}  // namespace fairlead
