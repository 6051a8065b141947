// A small linear program: maximise a weighted sum of variables under linear constraints.
//
// A shell over CLP, which is included nowhere else. Constraints may be added after a solution; the
// next one then starts from where the last ended. Keep coefficients near 1: tolerances are 1e-7.
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <string_view>

#include "fairlead/base/result.h"

namespace fairlead {

// What Maximise says of such a program.
inline constexpr std::string_view kNoLimit = "linear program: the objective has no limit";

class LinearProgram {
 public:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  struct Term {
    int variable;
    double coefficient;
  };

  LinearProgram();
  ~LinearProgram();
  LinearProgram(LinearProgram&&) noexcept;
  LinearProgram& operator=(LinearProgram&&) noexcept;

  // A variable between 0 and `upper`; its index. Only before the first Maximise.
  int AddVariable(double upper = kInfinity);
  // lower <= sum of terms <= upper; its index. Terms of one variable add up.
  int AddConstraint(double lower, double upper, std::span<const Term> terms);
  // Adds a term to a constraint. Only before the first Maximise.
  void AddTerm(int constraint, Term term);
  void SetObjective(int variable, double weight);
  void SetUpper(int variable, double upper);

  // The largest value of the objective. Fails when there is none: infeasible or unbounded.
  Result<double> Maximise();
  // Of the last solution.
  double Value(int variable) const;
  // Of the last solution: how much the objective gains when the constraint gives way by 1; >= 0.
  double Price(int constraint) const;

 private:
  class Model;
  std::unique_ptr<Model> model_;
};

}  // namespace fairlead
