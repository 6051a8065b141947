// What regressors there are: each predicts, writes itself as text, and is fitted by a function.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/random.h"
#include "fairlead/regression/regressor.h"
#include "fairlead/regression/scaling.h"

namespace fairlead {

// The nearest examples, weighted by how near they are.
class NearestNeighbours final : public Regressor {
 public:
  NearestNeighbours(Scaling scaling, std::vector<float> points, std::vector<float> targets);

  float Predict(std::span<const float> input) const override;
  void Write(std::string& text) const override;
  static Result<std::unique_ptr<Regressor>> Read(std::size_t width, std::string_view text);

 private:
  Scaling scaling_;
  std::vector<float> points_;  // scaled, row by row
  std::vector<float> targets_;
};

std::unique_ptr<Regressor> FitNeighbours(const Examples& examples, const FitOptions& options);

// Support vector regression with Gaussian kernels: base + the sum over examples of a weight and how
// near the input is. Errors within a tube cost nothing, so that many weights are 0.
//
// Fitted to a part of the examples (the kernel between all of them is kept in memory), by going
// over the weights in turn, each set to where the objective is least.

class SupportVectors final : public Regressor {
 public:
  SupportVectors(Scaling scaling, float base, float gamma, std::vector<float> points,
                 std::vector<float> weights);

  float Predict(std::span<const float> input) const override;
  void Write(std::string& text) const override;
  static Result<std::unique_ptr<Regressor>> Read(std::size_t width, std::string_view text);

 private:
  Scaling scaling_;
  float base_;
  float gamma_;
  std::vector<float> points_;  // scaled, row by row
  std::vector<float> weights_;
};

std::unique_ptr<Regressor> FitSupportVectors(const Examples& examples, const FitOptions& options);

// A network of two hidden layers, fitted by Adam (Kingma and Ba, 2015) on small batches.

class Perceptron final : public Regressor {
 public:
  static constexpr std::size_t kLayers = 3;
  static constexpr std::size_t kWidest = 256;

  // Weights stand input by input: row i has what input i adds to each output.
  struct Layer {
    std::size_t inputs = 0;
    std::size_t outputs = 0;  // a multiple of 8, but for the last layer
    std::vector<float> weights;
    std::vector<float> biases;
  };

  Perceptron(Scaling scaling, std::array<Layer, kLayers> layers);

  float Predict(std::span<const float> input) const override;
  void Write(std::string& text) const override;
  static Result<std::unique_ptr<Regressor>> Read(std::size_t width, std::string_view text);

 private:
  Scaling scaling_;
  std::array<Layer, kLayers> layers_;
};

std::unique_ptr<Regressor> FitPerceptron(const Examples& examples, const FitOptions& options);

// Trees of questions about one input each, and sums of them: decision trees, random forests,
// boosting.
//
// A tree is grown level by level from histograms: inputs are put into up to 255 bins once, so that
// finding the best question costs a pass over the rows and not a sort.

// One node of a tree. Answers lead to `child` (not above the threshold) or to the one after it; a
// leaf leads to itself, and no input is above its threshold.
struct TreeNode {
  float threshold = 0;
  std::uint32_t input = 0;
  std::uint32_t child = 0;
  float value = 0;  // of a leaf
};

// base + the sum over trees of the leaf that the inputs lead to.
class TreeSum final : public Regressor {
 public:
  explicit TreeSum(float base) : base_(base) {}
  // Children stand behind their parents. Every value is multiplied by `factor`.
  void Add(std::span<const TreeNode> tree, float factor);

  float Predict(std::span<const float> input) const override;
  void Write(std::string& text) const override;
  static Result<std::unique_ptr<Regressor>> Read(std::size_t width, std::string_view text);

  std::size_t trees() const { return roots_.size(); }

 private:
  // Walks take as many steps as the deepest tree has, without a branch: leaves lead to themselves.
  // Nodes are small, since waiting for them is what a prediction costs.
  struct Node {
    float threshold;
    std::uint16_t input;
    std::uint16_t child;  // counted from the root
  };
  float base_;
  std::uint32_t depth_ = 0;  // of the deepest
  std::vector<std::uint32_t> roots_;
  std::vector<Node> nodes_;
  std::vector<float> values_;  // of nodes that are leaves
};

struct TreeOptions {
  int depth = 6;
  double least_weight = 8;     // of a leaf
  double shrinkage = 1;        // added to the weight of a leaf before dividing by it
  double share_of_inputs = 1;  // that each tree may ask about
};

class BinnedInputs {
 public:
  explicit BinnedInputs(const Examples& examples);

  std::size_t width() const { return cuts_.size(); }
  std::size_t rows() const { return rows_; }
  std::size_t bins(std::size_t input) const { return cuts_[input].size() + 1; }
  // Bins 0 to `bin` are not above it.
  float Cut(std::size_t input, std::size_t bin) const { return cuts_[input][bin]; }
  const std::uint8_t* Row(std::size_t row) const { return &bins_[row * width()]; }

 private:
  std::size_t rows_;
  std::vector<std::vector<float>> cuts_;
  std::vector<std::uint8_t> bins_;  // row by row
};

// The pull of a row on its leaf, and its weight: a leaf's value is the sum of pulls over the sum of
// weights.
struct Pull {
  float pull = 0;
  float weight = 0;
};

// Grows one tree over the given rows; one may stand several times.
std::vector<TreeNode> GrowTree(const BinnedInputs& inputs, std::span<const Pull> pulls,
                               std::vector<std::uint32_t> rows, const TreeOptions& options,
                               RandomStream& random);

std::unique_ptr<Regressor> FitDecisionTree(const Examples& examples, const FitOptions& options);
std::unique_ptr<Regressor> FitRandomForest(const Examples& examples, const FitOptions& options);
std::unique_ptr<Regressor> FitBoosting(const Examples& examples, const FitOptions& options);

}  // namespace fairlead
