#include "fairlead/regression/trees.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "fairlead/base/check.h"
#include "fairlead/regression/numbers.h"

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

}  // namespace fairlead
