#include "fairlead/regression/regressor.h"

#include <algorithm>
#include <array>

#include "fairlead/base/units.h"
#include "fairlead/regression/learners.h"

namespace fairlead {

std::span<const Learner> Learners() {
  static constexpr std::array<Learner, 6> kLearners = {{
      {"mlp", "a network of two hidden layers", &FitPerceptron, &Perceptron::Read},
      {"knn", "the nearest examples", &FitNeighbours, &NearestNeighbours::Read},
      {"random-forest", "the mean of deep trees, each of other examples", &FitRandomForest,
       &TreeSum::Read},
      {"decision-tree", "one tree of questions", &FitDecisionTree, &TreeSum::Read},
      {"svr", "support vectors with Gaussian kernels", &FitSupportVectors, &SupportVectors::Read},
      {"boosting", "a sum of small trees, each of what the others leave over", &FitBoosting,
       &TreeSum::Read},
  }};
  return kLearners;
}

Result<const Learner*> FindLearner(std::string_view name) {
  const auto learners = Learners();
  const auto found = std::ranges::find(learners, name, &Learner::name);
  if (found != learners.end()) return &*found;
  std::vector<std::string_view> names;
  for (const Learner& learner : learners) names.push_back(learner.name);
  return Fail("unknown learner '{}'{}", name, Suggest(name, names));
}

}  // namespace fairlead
