// A small integer program: maximise a weighted sum of yes-or-no choices under linear constraints.
//
// A shell over CBC, which is included nowhere else. Solved to proven optimality: there is no limit
// of time and no tolerated gap, so keep it small.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace fairlead {

class IntegerProgram {
 public:
  struct Term {
    int choice;
    double coefficient;
  };
  struct Solution {
    double objective = 0;
    std::vector<bool> chosen;  // by choice
  };

  // A choice with its weight in the objective; its index.
  int AddChoice(double weight = 0);
  // lower <= sum of terms <= upper. No choice stands in it twice.
  void AddConstraint(double lower, double upper, std::span<const Term> terms);

  // The best solution; none when nothing satisfies all constraints.
  std::optional<Solution> Maximise() const;

 private:
  struct Row {
    double lower;
    double upper;
    std::vector<Term> terms;
  };
  std::vector<double> weights_;
  std::vector<Row> rows_;
};

}  // namespace fairlead
