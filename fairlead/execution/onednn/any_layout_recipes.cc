#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "fairlead/execution/onednn/implementations.h"
#include "fairlead/execution/onednn/layout.h"
#include "fairlead/execution/onednn/post_operations.h"
#include "fairlead/execution/onednn/recipes.h"
#include "fairlead/execution/strided_loops.h"
#include "fairlead/networks/operator_graph.h"

// Compiled for several instruction sets; the loader picks. Sanitizers cannot start such programs.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(__clang__)
#define FAIRLEAD_VECTOR_CLONES
#else
#define FAIRLEAD_VECTOR_CLONES \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#endif

namespace fairlead {

// Multiplies each channel of an image by its own number: the gates of squeeze-and-excitation. In
// oneDNN 2.6 this is a slow loop for batches beyond one.

class GateKernel {
 public:
  GateKernel(const TensorDims& dims, std::size_t batch, Layout layout);

  // The gates are in the same layout as the images.
  void Run(const float* images, const float* gates, float* output) const;

 private:
  std::int64_t groups_;  // batch times runs of channels that lie together
  std::int64_t pixels_;
  std::int64_t lanes_;  // channels that lie together
};

namespace {

FAIRLEAD_VECTOR_CLONES
void ScaleAll(const float* from, float factor, std::int64_t count, float* to) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = from[i] * factor;
}

FAIRLEAD_VECTOR_CLONES
void ScaleLanes(const float* from, const float* factors, std::int64_t lanes, std::int64_t pixels,
                float* to) {
  for (std::int64_t pixel = 0; pixel < pixels; ++pixel) {
    for (std::int64_t lane = 0; lane < lanes; ++lane) to[lane] = from[lane] * factors[lane];
    from += lanes;
    to += lanes;
  }
}

}  // namespace

GateKernel::GateKernel(const TensorDims& dims, std::size_t batch, Layout layout)
    : pixels_(dims[1] * dims[2]), lanes_(BlockOf(layout)) {
  if (layout == Layout::kChannelsLast) lanes_ = dims[0];
  groups_ = static_cast<std::int64_t>(batch) * StoredElements(dims, layout) / (lanes_ * pixels_);
}

void GateKernel::Run(const float* images, const float* gates, float* output) const {
  for (std::int64_t group = 0; group < groups_; ++group) {
    if (lanes_ == 1) {
      ScaleAll(images, gates[group], pixels_, output);
    } else {
      ScaleLanes(images, gates + group * lanes_, lanes_, pixels_, output);
    }
    images += lanes_ * pixels_;
    output += lanes_ * pixels_;
  }
}

namespace {

using Desc = dnnl::memory::desc;
using Dims = dnnl::memory::dims;
using Tag = dnnl::memory::format_tag;

constexpr Operand WeightsOperand(std::size_t index) { return {Operand::Kind::kWeights, index}; }

// All operands in one layout.
Recipe InLayout(const RecipeContext& context, Layout layout, std::string name) {
  return {.name = std::move(name),
          .wants = std::vector<Layout>(context.op.Reads().size(), layout),
          .leaves = layout};
}

// Adds what `add(layout, with_reference)` finds in each of the layouts; with oneDNN's reference
// loops only where there is nothing else.
template <typename Add>
void InEachLayout(const TensorDims& dims, std::vector<Recipe>& recipes, const Add& add) {
  for (bool with_reference : {false, true}) {
    for (Layout layout : LayoutsFor(dims)) add(layout, with_reference);
    if (!recipes.empty()) return;
  }
}

// Adds a recipe for each implementation of a primitive that `describe` describes. `arguments` are
// all but scratch memory; post-operations follow.
template <typename Primitive, typename Describe>
void AddPrimitive(const RecipeContext& context, Layout layout, bool with_reference,
                  const Describe& describe, const std::vector<PrimitiveCall::Argument>& arguments,
                  const std::vector<PackedWeights>& weights, std::vector<Recipe>& recipes) {
  try {
    const typename Primitive::desc desc = describe();
    const auto make = [desc, engine = context.engine] {
      return typename Primitive::primitive_desc(desc, BareAttributes(), engine, true);
    };
    std::set<std::string> known;  // a call finds its implementation by name
    ForEachImplementation({.cap = context.cap, .with_reference = with_reference}, make,
                          [&](const auto& description, const std::string& name) {
                            if (!known.insert(name).second) return;
                            Recipe recipe = InLayout(context, layout, name);
                            recipe.weights = weights;
                            recipe.calls.emplace_back(CallOf(make, description, arguments));
                            recipes.push_back(std::move(recipe));
                          });
  } catch (const dnnl::error&) {  // refused
  }
}

// From the first read to the output.
template <typename Primitive, typename Describe>
void AddUnary(const RecipeContext& context, Layout layout, bool with_reference,
              const Describe& describe, std::vector<Recipe>& recipes) {
  std::vector<Recipe> found;
  AddPrimitive<Primitive>(context, layout, with_reference, describe,
                          {{DNNL_ARG_SRC, context.ReadDesc(0, layout), {.index = 0}},
                           {DNNL_ARG_DST, context.OutputDesc(layout), kOutputOperand}},
                          {}, found);
  for (Recipe& recipe : found) {
    AppendPosts(context, layout, recipe);
    recipes.push_back(std::move(recipe));
  }
}

dnnl::algorithm AlgorithmOf(PoolKind kind) {
  switch (kind) {
    case PoolKind::kMax: return dnnl::algorithm::pooling_max;
    case PoolKind::kAverage: return dnnl::algorithm::pooling_avg_exclude_padding;
    case PoolKind::kAveragePadding: return dnnl::algorithm::pooling_avg_include_padding;
  }
  return dnnl::algorithm::undef;
}

dnnl::algorithm AlgorithmOf(BinaryKind kind) {
  switch (kind) {
    case BinaryKind::kAdd: return dnnl::algorithm::binary_add;
    case BinaryKind::kSubtract: return dnnl::algorithm::binary_sub;
    case BinaryKind::kMultiply: return dnnl::algorithm::binary_mul;
    case BinaryKind::kDivide: return dnnl::algorithm::binary_div;
    case BinaryKind::kMaximum: return dnnl::algorithm::binary_max;
    case BinaryKind::kMinimum: return dnnl::algorithm::binary_min;
  }
  return dnnl::algorithm::undef;
}

}  // namespace

std::vector<Recipe> RecipesOf(const Pool& pool, const RecipeContext& context) {
  const ImageWindow& w = pool.window;
  std::vector<Recipe> recipes;
  InEachLayout(context.OutputDims(), recipes, [&](Layout layout, bool with_reference) {
    AddUnary<dnnl::pooling_v2_forward>(
        context, layout, with_reference,
        [&] {
          return dnnl::pooling_v2_forward::desc(
              kInference, AlgorithmOf(pool.kind), context.ReadDesc(0, layout),
              context.OutputDesc(layout), Dims{w.stride[0], w.stride[1]},
              Dims{w.kernel[0], w.kernel[1]}, Dims{w.dilation[0] - 1, w.dilation[1] - 1},
              Dims{w.pad_before[0], w.pad_before[1]}, Dims{w.pad_after[0], w.pad_after[1]});
        },
        recipes);
  });
  return recipes;
}

std::vector<Recipe> RecipesOf(const Activation& activation, const RecipeContext& context) {
  std::vector<Recipe> recipes;
  for (Layout layout : LayoutsFor(context.OutputDims())) {
    try {
      Recipe recipe = InLayout(context, layout, "eltwise");
      AppendActivation(context, activation, context.OutputDesc(layout), {.index = 0}, recipe);
      AppendPosts(context, layout, recipe);
      recipes.push_back(std::move(recipe));
    } catch (const dnnl::error&) {  // refused
    }
  }
  return recipes;
}

std::vector<Recipe> RecipesOf(const Softmax& softmax, const RecipeContext& context) {
  std::vector<Recipe> recipes;
  const int axis = static_cast<int>(softmax.axis) + 1;
  InEachLayout(context.OutputDims(), recipes, [&](Layout layout, bool with_reference) {
    AddUnary<dnnl::softmax_v2_forward>(
        context, layout, with_reference,
        [&] {
          const auto algorithm =
              softmax.logarithm ? dnnl::algorithm::softmax_log : dnnl::algorithm::softmax_accurate;
          return dnnl::softmax_v2_forward::desc(kInference, algorithm, context.ReadDesc(0, layout),
                                                context.OutputDesc(layout), axis);
        },
        recipes);
  });
  return recipes;
}

std::vector<Recipe> RecipesOf(const LocalResponseNorm& norm, const RecipeContext& context) {
  std::vector<Recipe> recipes;
  if (norm.size % 2 == 0) {  // oneDNN's windows are odd
    Recipe recipe = InLayout(context, Layout::kPlain, "loops");
    const ChannelNormLoops loops(norm, context.OutputDims(),
                                 static_cast<std::int64_t>(context.batch));
    recipe.calls.emplace_back(PlainKernel(
        [loops](const RecipePlaces& places) { loops.Run(places.reads[0], places.output); }));
    AppendPosts(context, Layout::kPlain, recipe);
    return {recipe};
  }
  InEachLayout(context.OutputDims(), recipes, [&](Layout layout, bool with_reference) {
    AddUnary<dnnl::lrn_forward>(
        context, layout, with_reference,
        [&] {
          return dnnl::lrn_forward::desc(kInference, dnnl::algorithm::lrn_across_channels,
                                         context.ReadDesc(0, layout), norm.size, norm.alpha,
                                         norm.beta, norm.bias);
        },
        recipes);
  });
  return recipes;
}

// ---- Scales --------------------------------------------------------------------------------

namespace {

// A batch norm with mean 0 and variance 1; a ReLU behind it is part of it.
void AddBatchNorm(const RecipeContext& context, Layout layout, bool with_reference,
                  std::vector<Recipe>& recipes) {
  using Flags = dnnl::normalization_flags;
  const auto* first =
      context.op.then.empty() ? nullptr : std::get_if<Activation>(&context.op.then.front());
  const bool relu =
      context.op.then.size() == 1 && first != nullptr && first->kind == ActivationKind::kRelu;
  const Flags flags = Flags::use_global_stats | Flags::use_scale | Flags::use_shift |
                      (relu ? Flags::fuse_norm_relu : Flags::none);
  const Desc data = context.OutputDesc(layout);
  const Desc channel({context.OutputDims()[0]}, kFloat, Tag::x);
  using Source = PackedWeights::Source;
  std::vector<PackedWeights> weights;
  for (Source source : {Source::kZeros, Source::kOnes, Source::kFirst, Source::kSecond})
    weights.push_back({source, channel, channel});
  std::vector<Recipe> found;
  AddPrimitive<dnnl::batch_normalization_forward>(
      context, layout, with_reference,
      [&] { return dnnl::batch_normalization_forward::desc(kInference, data, 0, flags); },
      {{DNNL_ARG_SRC, data, {.index = 0}},
       {DNNL_ARG_MEAN, channel, WeightsOperand(0)},
       {DNNL_ARG_VARIANCE, channel, WeightsOperand(1)},
       {DNNL_ARG_SCALE, channel, WeightsOperand(2)},
       {DNNL_ARG_SHIFT, channel, WeightsOperand(3)},
       {DNNL_ARG_DST, data, kOutputOperand}},
      weights, found);
  for (Recipe& recipe : found) {
    if (!relu) AppendPosts(context, layout, recipe);
    recipes.push_back(std::move(recipe));
  }
}

// A product and a sum.
void AddScaleAndShift(const RecipeContext& context, Layout layout, std::vector<Recipe>& recipes) {
  const Desc data = context.OutputDesc(layout);
  TensorDims stretched(context.OutputDims().size() + 1, 1);
  stretched[1] = context.OutputDims()[0];
  const Desc channel(stretched, kFloat, DenseStrides(stretched));
  Recipe recipe = InLayout(context, layout, "scale and shift");
  recipe.weights = {{PackedWeights::Source::kFirst, channel, channel},
                    {PackedWeights::Source::kSecond, channel, channel}};
  Operand from{.index = 0};
  std::size_t index = 0;
  try {
    for (auto algorithm : {dnnl::algorithm::binary_mul, dnnl::algorithm::binary_add}) {
      const auto make = [algorithm, data, channel, engine = context.engine] {
        return dnnl::binary::primitive_desc({algorithm, data, channel, data}, BareAttributes(),
                                            engine);
      };
      recipe.calls.emplace_back(CallOf(make, {{DNNL_ARG_SRC_0, data, from},
                                              {DNNL_ARG_SRC_1, channel, WeightsOperand(index++)},
                                              {DNNL_ARG_DST, data, kOutputOperand}}));
      from = kOutputOperand;
    }
    AppendPosts(context, layout, recipe);
    recipes.push_back(std::move(recipe));
  } catch (const dnnl::error&) {  // refused
  }
}

}  // namespace

std::vector<Recipe> RecipesOf(const ChannelScale&, const RecipeContext& context) {
  std::vector<Recipe> recipes;
  if (IsImage(context.OutputDims())) {
    InEachLayout(context.OutputDims(), recipes, [&](Layout layout, bool with_reference) {
      // Some of oneDNN's leave numbers where blocks are padded, and what comes next adds them up.
      if (context.OutputDims()[0] % BlockOf(layout) != 0) return;
      AddBatchNorm(context, layout, with_reference, recipes);
    });
  }
  if (recipes.empty()) AddScaleAndShift(context, Layout::kPlain, recipes);
  return recipes;
}

// ---- Two tensors ---------------------------------------------------------------------------

namespace {

// With as many dimensions as the output, ones in front.
TensorDims Widened(const TensorDims& dims, std::size_t rank) {
  TensorDims widened(rank - dims.size(), 1);
  widened.insert(widened.end(), dims.begin(), dims.end());
  return widened;
}

bool Commutes(BinaryKind kind) {
  return kind != BinaryKind::kSubtract && kind != BinaryKind::kDivide;
}

// oneDNN stretches its second operand only.
void AddOneDnnBinary(const Binary& binary, const RecipeContext& context, Layout layout,
                     bool with_reference, std::vector<Recipe>& recipes) {
  const TensorDims& out = context.OutputDims();
  std::size_t whole = 0;
  if (context.ReadDims(0) != out) {
    if (!Commutes(binary.kind) || context.ReadDims(1) != out) return;
    whole = 1;
  }
  // Where blocks are padded, zero over zero is no zero.
  if (binary.kind == BinaryKind::kDivide && BlockOf(layout) > 1 && out[0] % BlockOf(layout) != 0)
    return;
  const std::size_t other = 1 - whole;
  const TensorDims widened = Widened(context.ReadDims(other), out.size());
  // What is widened was row-major before.
  if (widened != context.ReadDims(other) && layout != Layout::kPlain) return;
  const Desc data = context.OutputDesc(layout);
  const Desc second = DescOf(widened, context.batch, layout);
  std::vector<Recipe> found;
  AddPrimitive<dnnl::binary>(
      context, layout, with_reference,
      [&] { return dnnl::binary::desc(AlgorithmOf(binary.kind), data, second, data); },
      {{DNNL_ARG_SRC_0, data, {.index = whole}},
       {DNNL_ARG_SRC_1, second, {.index = other}},
       {DNNL_ARG_DST, data, kOutputOperand}},
      {}, found);
  for (Recipe& recipe : found) {
    AppendPosts(context, layout, recipe);
    recipes.push_back(std::move(recipe));
  }
}

// Each channel of each sample times one number.
void AddGate(const RecipeContext& context, Layout layout, std::vector<Recipe>& recipes) {
  const TensorDims& out = context.OutputDims();
  const TensorDims gates = {out[0], 1, 1};
  const std::size_t gate = context.ReadDims(1) == gates ? 1 : 0;
  if (context.ReadDims(gate) != gates || context.ReadDims(1 - gate) != out) return;
  Recipe recipe = InLayout(context, layout, "gate");
  recipe.calls.emplace_back(PlainKernel(
      [kernel = GateKernel(out, context.batch, layout), gate](const RecipePlaces& places) {
        kernel.Run(places.reads[1 - gate], places.reads[gate], places.output);
      }));
  AppendPosts(context, layout, recipe);
  recipes.push_back(std::move(recipe));
}

// Any dimensions, row-major.
Recipe StretchingBinary(const Binary& binary, const RecipeContext& context) {
  const std::size_t rank = context.OutputDims().size();
  const auto strides_of = [&](std::size_t read) {
    const TensorDims dims = Widened(context.ReadDims(read), rank);
    TensorDims strides = DenseStrides(dims);
    for (std::size_t i = 0; i < dims.size(); ++i) {
      if (dims[i] == 1) strides[i] = 0;
    }
    strides.insert(strides.begin(), ElementsOf(dims));
    return strides;
  };
  TensorDims out = context.OutputDims();
  out.insert(out.begin(), static_cast<std::int64_t>(context.batch));
  StridedBinary loops(binary.kind, strides_of(0), strides_of(1), std::move(out));
  Recipe recipe = InLayout(context, Layout::kPlain, "loops");
  recipe.calls.emplace_back(PlainKernel([loops = std::move(loops)](const RecipePlaces& places) {
    loops.Run(places.reads[0], places.reads[1], places.output);
  }));
  AppendPosts(context, Layout::kPlain, recipe);
  return recipe;
}

}  // namespace

std::vector<Recipe> RecipesOf(const Binary& binary, const RecipeContext& context) {
  std::vector<Recipe> recipes;
  for (Layout layout : LayoutsFor(context.OutputDims())) {
    AddOneDnnBinary(binary, context, layout, false, recipes);
    if (binary.kind == BinaryKind::kMultiply && IsImage(context.OutputDims()))
      AddGate(context, layout, recipes);
  }
  if (recipes.empty()) recipes.push_back(StretchingBinary(binary, context));
  return recipes;
}

}  // namespace fairlead
