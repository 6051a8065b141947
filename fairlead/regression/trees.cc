#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "fairlead/base/check.h"
#include "fairlead/regression/learners.h"
#include "fairlead/regression/scaling.h"

namespace fairlead {

void TreeSum::Add(std::span<const TreeNode> tree, float factor) {
  CHECK(tree.size() <= UINT16_MAX);
  roots_.push_back(static_cast<std::uint32_t>(nodes_.size()));
  std::vector<std::uint32_t> depths(tree.size(), 0);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const TreeNode& node = tree[i];
    if (node.child != i) {
      CHECK(node.child > i && node.child + 1 < tree.size());
      depths[node.child] = depths[node.child + 1] = depths[i] + 1;
    }
    depth_ = std::max(depth_, depths[i]);
    nodes_.push_back({node.threshold, static_cast<std::uint16_t>(node.input),
                      static_cast<std::uint16_t>(node.child)});
    values_.push_back(node.value * factor);
  }
}

// Several trees are walked at once: each step of one waits for memory, and they do not wait for
// each other.
float TreeSum::Predict(std::span<const float> input) const {
  constexpr std::size_t kAtOnce = 8;
  const float* inputs = input.data();
  float sum = base_;
  std::size_t tree = 0;
  for (; tree + kAtOnce <= roots_.size(); tree += kAtOnce) {
    std::array<const Node*, kAtOnce> trees;
    std::array<std::uint32_t, kAtOnce> at{};
    for (std::size_t i = 0; i < kAtOnce; ++i) trees[i] = &nodes_[roots_[tree + i]];
    for (std::uint32_t step = 0; step < depth_; ++step) {
      for (std::size_t i = 0; i < kAtOnce; ++i) {
        const Node node = trees[i][at[i]];
        at[i] = node.child + static_cast<std::uint32_t>(inputs[node.input] > node.threshold);
      }
    }
    for (std::size_t i = 0; i < kAtOnce; ++i) sum += values_[roots_[tree + i] + at[i]];
  }
  for (; tree < roots_.size(); ++tree) {
    const Node* nodes = &nodes_[roots_[tree]];
    std::uint32_t at = 0;
    for (std::uint32_t step = 0; step < depth_; ++step)
      at = nodes[at].child +
           static_cast<std::uint32_t>(inputs[nodes[at].input] > nodes[at].threshold);
    sum += values_[roots_[tree] + at];
  }
  return sum;
}

// A leaf is written as input 0, threshold its value, child 0; children count from the root.
void TreeSum::Write(std::string& text) const {
  WriteNumbers(text, "base", {base_});
  WriteWholes(text, "trees", {static_cast<std::uint32_t>(roots_.size())});
  for (std::size_t t = 0; t < roots_.size(); ++t) {
    const std::size_t end = t + 1 < roots_.size() ? roots_[t + 1] : nodes_.size();
    std::vector<std::uint32_t> inputs;
    std::vector<std::uint32_t> children;
    std::vector<float> values;
    for (std::size_t i = roots_[t]; i < end; ++i) {
      const bool leaf = nodes_[i].child == i - roots_[t];
      inputs.push_back(leaf ? 0 : nodes_[i].input);
      children.push_back(leaf ? 0 : nodes_[i].child);
      values.push_back(leaf ? values_[i] : nodes_[i].threshold);
    }
    WriteWholes(text, "inputs", inputs);
    WriteWholes(text, "children", children);
    WriteNumbers(text, "values", values);
  }
}

Result<std::unique_ptr<Regressor>> TreeSum::Read(std::size_t width, std::string_view text) {
  NumberReader reader(text);
  ASSIGN_OR_RETURN(const std::vector<float> base, reader.Numbers("base"));
  ASSIGN_OR_RETURN(const std::vector<std::uint32_t> trees, reader.Wholes("trees"));
  if (base.size() != 1 || trees.size() != 1) return Fail("one base and one number of trees");
  auto sum = std::make_unique<TreeSum>(base[0]);
  for (std::uint32_t t = 0; t < trees[0]; ++t) {
    ASSIGN_OR_RETURN(const std::vector<std::uint32_t> inputs, reader.Wholes("inputs"));
    ASSIGN_OR_RETURN(const std::vector<std::uint32_t> children, reader.Wholes("children"));
    ASSIGN_OR_RETURN(const std::vector<float> values, reader.Numbers("values"));
    if (inputs.empty() || inputs.size() > UINT16_MAX || inputs.size() != children.size() ||
        inputs.size() != values.size())
      return Fail("tree {} has {} inputs, {} children and {} values", t, inputs.size(),
                  children.size(), values.size());
    std::vector<TreeNode> nodes;
    for (std::uint32_t i = 0; i < inputs.size(); ++i) {
      if (children[i] == 0) {
        nodes.push_back({std::numeric_limits<float>::infinity(), 0, i, values[i]});
        continue;
      }
      if (children[i] <= i || children[i] + 1 >= inputs.size() || inputs[i] >= width)
        return Fail("node {} of tree {} leads nowhere", i, t);
      nodes.push_back({values[i], inputs[i], children[i], 0});
    }
    sum->Add(nodes, 1);
  }
  RETURN_IF_ERROR(reader.End());
  return std::unique_ptr<Regressor>(std::move(sum));
}

// How trees are grown, and what is made of them.

namespace {

constexpr std::size_t kMostBins = 128;

struct BinSum {
  double pull = 0;
  double weight = 0;
};

// For every input and bin: what the rows of one node add up to.
class Histogram {
 public:
  Histogram(const BinnedInputs& inputs, std::span<const std::size_t> asked)
      : sums_(inputs.width() * kMostBins), asked_(asked) {}

  void Count(const BinnedInputs& inputs, std::span<const Pull> pulls,
             std::span<const std::uint32_t> rows) {
    for (const std::uint32_t row : rows) {
      const std::uint8_t* bins = inputs.Row(row);
      const Pull& pull = pulls[row];
      for (const std::size_t input : asked_) {
        BinSum& sum = sums_[input * kMostBins + bins[input]];
        sum.pull += double{pull.pull};
        sum.weight += double{pull.weight};
      }
    }
  }
  void Subtract(const Histogram& other) {
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      sums_[i].pull -= other.sums_[i].pull;
      sums_[i].weight -= other.sums_[i].weight;
    }
  }
  std::span<const BinSum> Of(std::size_t input, std::size_t bins) const {
    return std::span(sums_).subspan(input * kMostBins, bins);
  }

 private:
  std::vector<BinSum> sums_;
  std::span<const std::size_t> asked_;
};

struct Split {
  double gain = 1e-9;
  std::size_t input = 0;
  std::size_t bin = 0;
  bool found = false;
};

class Grower {
 public:
  Grower(const BinnedInputs& inputs, std::span<const Pull> pulls, const TreeOptions& options,
         RandomStream& random)
      : inputs_(inputs), pulls_(pulls), options_(options) {
    std::vector<std::size_t> all(inputs.width());
    std::iota(all.begin(), all.end(), 0);
    const auto wanted = static_cast<std::size_t>(
        std::ceil(options.share_of_inputs * static_cast<double>(all.size())));
    for (std::size_t i = 0; i < wanted; ++i)
      std::swap(all[i], all[i + random.Below(all.size() - i)]);
    asked_.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(wanted));
    std::ranges::sort(asked_);
  }

  std::vector<TreeNode> Grow(std::span<std::uint32_t> rows) {
    Histogram histogram(inputs_, asked_);
    histogram.Count(inputs_, pulls_, rows);
    nodes_.emplace_back();
    Divide(0, 0, rows, std::move(histogram));
    return std::move(nodes_);
  }

 private:
  double Score(const BinSum& sum) const {
    return sum.pull * sum.pull / (sum.weight + options_.shrinkage);
  }

  Split Best(const Histogram& histogram, const BinSum& total) const {
    Split best;
    for (const std::size_t input : asked_) {
      const auto sums = histogram.Of(input, inputs_.bins(input));
      BinSum left;
      for (std::size_t bin = 0; bin + 1 < sums.size(); ++bin) {
        left.pull += sums[bin].pull;
        left.weight += sums[bin].weight;
        const BinSum right{total.pull - left.pull, total.weight - left.weight};
        if (left.weight < options_.least_weight) continue;
        if (right.weight < options_.least_weight) break;
        const double gain = Score(left) + Score(right) - Score(total);
        if (gain > best.gain) best = {gain, input, bin, true};
      }
    }
    return best;
  }

  void Divide(std::uint32_t at, int depth, std::span<std::uint32_t> rows, Histogram histogram) {
    BinSum total;
    for (const std::uint32_t row : rows) {
      total.pull += double{pulls_[row].pull};
      total.weight += double{pulls_[row].weight};
    }
    const Split split = depth < options_.depth ? Best(histogram, total) : Split{};
    if (!split.found) {
      const double value = total.pull / (total.weight + options_.shrinkage);
      nodes_[at] = {std::numeric_limits<float>::infinity(), 0, at, static_cast<float>(value)};
      return;
    }
    const auto child = static_cast<std::uint32_t>(nodes_.size());
    nodes_.resize(nodes_.size() + 2);
    nodes_[at] = {inputs_.Cut(split.input, split.bin), static_cast<std::uint32_t>(split.input),
                  child, 0};
    const auto middle = std::stable_partition(rows.begin(), rows.end(), [&](std::uint32_t row) {
      return inputs_.Row(row)[split.input] <= split.bin;
    });
    const auto left = rows.first(static_cast<std::size_t>(middle - rows.begin()));
    const auto right = rows.subspan(left.size());
    const bool left_is_smaller = left.size() < right.size();
    Histogram smaller(inputs_, asked_);
    smaller.Count(inputs_, pulls_, left_is_smaller ? left : right);
    histogram.Subtract(smaller);
    Divide(child, depth + 1, left, left_is_smaller ? smaller : histogram);
    Divide(child + 1, depth + 1, right,
           left_is_smaller ? std::move(histogram) : std::move(smaller));
  }

  const BinnedInputs& inputs_;
  std::span<const Pull> pulls_;
  TreeOptions options_;
  std::vector<std::size_t> asked_;
  std::vector<TreeNode> nodes_;
};

// Where one input is cut: between neighbouring values, at about equal numbers of rows.
std::vector<float> CutsOf(std::vector<float> values) {
  std::ranges::sort(values);
  std::vector<float> cuts;
  for (std::size_t bin = 1; bin < kMostBins; ++bin) {
    const std::size_t at = bin * values.size() / kMostBins;
    if (at == 0) continue;
    // To the beginning of a run of equal values, so that a cut lies between different ones.
    const auto begin = std::ranges::lower_bound(values, values[at]);
    if (begin == values.begin()) continue;
    const float below = *(begin - 1);
    const float cut = below + (*begin - below) / 2;
    if (cuts.empty() || cut > cuts.back()) cuts.push_back(cut);
  }
  return cuts;
}

std::vector<std::uint32_t> AllRows(std::size_t rows) {
  std::vector<std::uint32_t> all(rows);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::vector<Pull> PullsTo(const std::vector<float>& targets) {
  std::vector<Pull> pulls;
  for (const float target : targets) pulls.push_back({target, 1});
  return pulls;
}

}  // namespace

BinnedInputs::BinnedInputs(const Examples& examples) : rows_(examples.size()) {
  for (std::size_t input = 0; input < examples.width; ++input) {
    std::vector<float> values;
    for (std::size_t row = 0; row < rows_; ++row) values.push_back(examples.Row(row)[input]);
    cuts_.push_back(CutsOf(std::move(values)));
  }
  bins_.resize(rows_ * width());
  for (std::size_t row = 0; row < rows_; ++row) {
    for (std::size_t input = 0; input < width(); ++input)
      bins_[row * width() + input] = static_cast<std::uint8_t>(
          std::ranges::lower_bound(cuts_[input], examples.Row(row)[input]) - cuts_[input].begin());
  }
}

std::vector<TreeNode> GrowTree(const BinnedInputs& inputs, std::span<const Pull> pulls,
                               std::vector<std::uint32_t> rows, const TreeOptions& options,
                               RandomStream& random) {
  return Grower(inputs, pulls, options, random).Grow(rows);
}

std::unique_ptr<Regressor> FitDecisionTree(const Examples& examples, const FitOptions& options) {
  const BinnedInputs inputs(examples);
  RandomStream random(options.seed, "tree");
  auto sum = std::make_unique<TreeSum>(0);
  sum->Add(GrowTree(inputs, PullsTo(examples.targets), AllRows(examples.size()),
                    {.depth = 14, .least_weight = 20, .shrinkage = 0}, random),
           1);
  return sum;
}

std::unique_ptr<Regressor> FitRandomForest(const Examples& examples, const FitOptions& options) {
  constexpr int kTrees = 64;
  const BinnedInputs inputs(examples);
  const std::vector<Pull> pulls = PullsTo(examples.targets);
  auto sum = std::make_unique<TreeSum>(0);
  for (int t = 0; t < kTrees; ++t) {
    RandomStream random(options.seed, fmt::format("forest/{}", t));
    std::vector<std::uint32_t> rows;
    for (std::size_t i = 0; i < examples.size(); ++i)
      rows.push_back(static_cast<std::uint32_t>(random.Below(examples.size())));
    sum->Add(
        GrowTree(inputs, pulls, std::move(rows),
                 {.depth = 18, .least_weight = 4, .shrinkage = 0, .share_of_inputs = 0.7}, random),
        1.0F / kTrees);
    options.progress(static_cast<double>(t + 1) / kTrees);
  }
  return sum;
}

// Each tree is grown towards what those before it leave over. Large errors pull less than in
// proportion (a pseudo-Huber loss): measured times have outliers, and what is judged are absolute
// errors.
std::unique_ptr<Regressor> FitBoosting(const Examples& examples, const FitOptions& options) {
  constexpr int kTrees = 200;
  constexpr float kStep = 0.12F;
  constexpr float kBend = 0.1F;
  const BinnedInputs inputs(examples);
  auto sum = std::make_unique<TreeSum>(0);
  std::vector<float> predicted(examples.size(), 0);
  std::vector<Pull> pulls(examples.size());
  for (int t = 0; t < kTrees; ++t) {
    for (std::size_t i = 0; i < pulls.size(); ++i) {
      const float left = examples.targets[i] - predicted[i];
      const float bend = 1 / std::sqrt(1 + left * left / (kBend * kBend));
      pulls[i] = {left * bend, bend};
    }
    RandomStream random(options.seed, fmt::format("boosting/{}", t));
    std::vector<std::uint32_t> rows;
    for (std::uint32_t i = 0; i < examples.size(); ++i) {
      if (random.Uniform() < 0.7) rows.push_back(i);
    }
    const auto tree =
        GrowTree(inputs, pulls, std::move(rows),
                 {.depth = 6, .least_weight = 10, .shrinkage = 1, .share_of_inputs = 0.5}, random);
    sum->Add(tree, kStep);
    TreeSum alone(0);
    alone.Add(tree, kStep);
    for (std::size_t i = 0; i < predicted.size(); ++i)
      predicted[i] += alone.Predict(examples.Row(i));
    options.progress(static_cast<double>(t + 1) / kTrees);
  }
  return sum;
}

}  // namespace fairlead
