// A number learned from examples: rows of inputs with the number that belongs to each.
//
// No words of scheduling here: what inputs mean is the business of those who make them. Predicting
// is plain C++ that allocates nothing, since simulators ask millions of times. The same examples,
// options and seed give the same regressor.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"

namespace fairlead {

struct Examples {
  std::size_t width = 0;
  std::vector<float> inputs;  // row by row
  std::vector<float> targets;

  std::size_t size() const { return targets.size(); }
  std::span<const float> Row(std::size_t row) const {
    return std::span(inputs).subspan(row * width, width);
  }
  void Add(std::span<const float> row, float target) {
    inputs.insert(inputs.end(), row.begin(), row.end());
    targets.push_back(target);
  }
};

class Regressor {
 public:
  virtual ~Regressor() = default;
  // As many inputs as it was fitted to.
  virtual float Predict(std::span<const float> input) const = 0;
  // Its numbers as text, which its reader takes.
  virtual void Write(std::string& text) const = 0;
};

struct FitOptions {
  std::uint64_t seed = 1;
  std::function<void(double share)> progress = [](double) {};  // of the work that is done
};

// One way to learn.
struct Learner {
  std::string_view name;
  std::string_view description;
  std::unique_ptr<Regressor> (*fit)(const Examples& examples, const FitOptions& options);
  Result<std::unique_ptr<Regressor>> (*read)(std::size_t width, std::string_view text);
};

// mlp, knn, random-forest, decision-tree, svr, boosting.
std::span<const Learner> Learners();
Result<const Learner*> FindLearner(std::string_view name);

}  // namespace fairlead
