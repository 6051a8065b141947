#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "fairlead/execution/convolution_loops.h"
#include "fairlead/execution/onednn/implementations.h"
#include "fairlead/execution/onednn/layout.h"
#include "fairlead/execution/onednn/post_operations.h"
#include "fairlead/execution/onednn/recipes.h"

namespace fairlead {
namespace {

using Dims = dnnl::memory::dims;
using Desc = dnnl::memory::desc;
using Tag = dnnl::memory::format_tag;

// A multiplication as oneDNN sees it: descriptions of its operands, and how the weights lie.
struct Multiplication {
  Layout wants = Layout::kPlain;
  Layout leaves = Layout::kPlain;
  Desc source;
  Desc weights_from;
  Desc bias;  // zero where there is none
  Desc result;
  std::string_view last;  // implementation to look at
  std::string suffix;     // of the recipes' names
};

// Inside the primitive, or as calls behind it.
enum class Posts : std::uint8_t { kInside, kBehind };

// Adds a recipe for each implementation: with the post-operations inside, where it can do that.
// `make(attributes)` describes the primitive.
template <typename MakeDescription>
void AddRecipes(const RecipeContext& context, const Multiplication& m, const MakeDescription& make,
                std::vector<Recipe>& recipes) {
  std::set<std::string> known;
  const auto add = [&](const FusedPosts& fused, Posts posts) {
    const auto described = [make, attributes = fused.attributes] { return make(attributes); };
    const auto visit = [&](const auto& description, const std::string& name) {
      if (!known.insert(name).second) return;
      Recipe recipe{.name = name + m.suffix, .leaves = m.leaves, .accumulates = fused.accumulates};
      recipe.wants.assign(context.op.Reads().size(), m.leaves);
      recipe.wants[0] = m.wants;
      const Desc weights = description.weights_desc();
      recipe.weights.push_back({PackedWeights::Source::kFirst, m.weights_from, weights});
      std::vector<PrimitiveCall::Argument> arguments = {
          {DNNL_ARG_SRC, m.source, {.index = 0}},
          {DNNL_ARG_WEIGHTS, weights, {Operand::Kind::kWeights, 0}},
          {DNNL_ARG_DST, m.result, kOutputOperand}};
      if (!m.bias.is_zero()) {
        recipe.weights.push_back({PackedWeights::Source::kSecond, m.bias, m.bias});
        arguments.push_back({DNNL_ARG_BIAS, m.bias, {Operand::Kind::kWeights, 1}});
      }
      recipe.calls.emplace_back(CallOf(described, description, std::move(arguments)));
      if (posts == Posts::kBehind) {
        recipe.name += " then";
        AppendPosts(context, m.leaves, recipe);
      }
      recipes.push_back(std::move(recipe));
    };
    ForEachImplementation({.cap = context.cap, .last = m.last}, described, visit);
  };
  if (const auto fused = FusePosts(context.op); fused.has_value()) add(*fused, Posts::kInside);
  if (!context.op.then.empty()) add({.attributes = BareAttributes()}, Posts::kBehind);
}

// Our own loops; oneDNN's reference is no safer.
Recipe PlainMultiplication(const RecipeContext& context, const Weights& weights,
                           const Weights* bias, const ConvolutionLoops& loops) {
  const Desc all({static_cast<std::int64_t>(weights.values.size())}, kFloat, Tag::x);
  Recipe recipe{.name = "loops",
                .wants = std::vector<Layout>(context.op.Reads().size(), Layout::kPlain),
                .weights = {{PackedWeights::Source::kFirst, all, all}}};
  if (bias != nullptr) {
    const Desc second(bias->dims, kFloat, Tag::x);
    recipe.weights.push_back({PackedWeights::Source::kSecond, second, second});
  }
  recipe.calls.emplace_back(PlainKernel([loops](const RecipePlaces& places) {
    const float* const shift = places.weights.size() > 1 ? places.weights[1] : nullptr;
    loops.Run(places.reads[0], places.weights[0], shift, places.output);
  }));
  AppendPosts(context, Layout::kPlain, recipe);
  return recipe;
}

// ---- Convolutions --------------------------------------------------------------------------

struct WindowDims {
  Dims strides;
  Dims dilations;  // oneDNN counts the gaps
  Dims before;
  Dims after;
};

WindowDims DimsOf(const ImageWindow& window) {
  return {.strides = {window.stride[0], window.stride[1]},
          .dilations = {window.dilation[0] - 1, window.dilation[1] - 1},
          .before = {window.pad_before[0], window.pad_before[1]},
          .after = {window.pad_after[0], window.pad_after[1]}};
}

// groups x outputs x inputs x height x width; the first only where there are groups.
struct WeightDims {
  Dims dims;
  Dims strides;  // of the operator's weights
};

WeightDims WeightDimsOf(const Convolution& convolution) {
  const TensorDims& w = convolution.weights->dims;
  const std::int64_t kernel = w[2] * w[3];
  const std::int64_t groups = convolution.groups;
  WeightDims result;
  if (convolution.transposed) {
    const std::int64_t inputs = w[0] / groups;
    result = {.dims = {groups, w[1], inputs, w[2], w[3]},
              .strides = {inputs * w[1] * kernel, kernel, w[1] * kernel, w[3], 1}};
  } else {
    const std::int64_t outputs = w[0] / groups;
    result = {.dims = {groups, outputs, w[1], w[2], w[3]},
              .strides = {outputs * w[1] * kernel, w[1] * kernel, kernel, w[3], 1}};
  }
  if (groups == 1) {
    result.dims.erase(result.dims.begin());
    result.strides.erase(result.strides.begin());
  }
  return result;
}

Multiplication MultiplicationOf(const Convolution& convolution, const RecipeContext& context,
                                Layout wants, Layout leaves) {
  const WeightDims weights = WeightDimsOf(convolution);
  Multiplication m{.wants = wants,
                   .leaves = leaves,
                   .source = context.ReadDesc(0, wants),
                   .weights_from = {weights.dims, kFloat, weights.strides},
                   .result = context.OutputDesc(leaves)};
  if (convolution.bias != nullptr) m.bias = {convolution.bias->dims, kFloat, Tag::x};
  return m;
}

void AddConvolution(const Convolution& convolution, const RecipeContext& context,
                    const Multiplication& m, std::vector<Recipe>& recipes) {
  const Desc weights(WeightDimsOf(convolution).dims, kFloat, Tag::any);
  const WindowDims window = DimsOf(convolution.window);
  if (convolution.transposed) {
    AddRecipes(
        context, m,
        [=, engine = context.engine](const dnnl::primitive_attr& attributes) {
          const dnnl::deconvolution_forward::desc desc(
              kInference, dnnl::algorithm::deconvolution_direct, m.source, weights, m.bias,
              m.result, window.strides, window.dilations, window.before, window.after);
          return dnnl::deconvolution_forward::primitive_desc(desc, attributes, engine, true);
        },
        recipes);
    return;
  }
  for (const auto algorithm :
       {dnnl::algorithm::convolution_direct, dnnl::algorithm::convolution_winograd}) {
    AddRecipes(
        context, m,
        [=, engine = context.engine](const dnnl::primitive_attr& attributes) {
          const dnnl::convolution_forward::desc desc(kInference, algorithm, m.source, weights,
                                                     m.bias, m.result, window.strides,
                                                     window.dilations, window.before, window.after);
          return dnnl::convolution_forward::primitive_desc(desc, attributes, engine, true);
        },
        recipes);
  }
}

// Some windows may lie beside the image, or have it between two of their points. oneDNN 2.6's
// generated code crashes there.
bool SeesOnlyPadding(const ImageWindow& window, const TensorDims& image) {
  for (std::size_t i = 0; i < window.kernel.size(); ++i) {
    const std::int64_t reach = (window.kernel[i] - 1) * window.dilation[i] + 1;
    if (window.pad_before[i] >= reach || window.pad_after[i] >= reach) return true;
    if (window.kernel[i] > 1 && window.dilation[i] > image[i + 1]) return true;
  }
  return false;
}

bool IsPoint(const ImageWindow& window) { return window.kernel[0] * window.kernel[1] == 1; }

// Images of one pixel or one channel do, too, in row-major order.
bool LooksChannelsLast(const RecipeContext& context, Layout layout) {
  if (BlockOf(layout) > 1) return false;
  return SameBytes(context.ReadDims(0), layout, Layout::kChannelsLast) ||
         SameBytes(context.OutputDims(), layout, Layout::kChannelsLast);
}

// Behind the first implementation for kernels of one point, with channels last, stands one for any
// kernel, which oneDNN never tries there by itself: 2.6 then divides by zero, now and then.
constexpr std::string_view kLastForPoints = "brgconv_1x1";

// The same layout before and after; images of few channels, which blocks would mostly pad, may
// stay plain before.
void AddAllLayouts(const Convolution& convolution, const RecipeContext& context,
                   std::vector<Recipe>& recipes) {
  constexpr std::int64_t kFewChannels = 4;
  for (Layout leaves : kLayouts) {
    const bool from_plain = context.ReadDims(0)[0] <= kFewChannels && BlockOf(leaves) > 1;
    const bool risky = IsPoint(convolution.window) && LooksChannelsLast(context, leaves);
    if (risky && context.cap != InstructionCap::kNone) continue;
    for (Layout wants : {leaves, Layout::kPlain}) {
      if (wants != leaves && !from_plain) continue;
      Multiplication m = MultiplicationOf(convolution, context, wants, leaves);
      if (risky) m.last = kLastForPoints;
      AddConvolution(convolution, context, m, recipes);
    }
  }
}

}  // namespace

std::vector<Recipe> RecipesOf(const Convolution& convolution, const RecipeContext& context) {
  std::vector<Recipe> recipes;
  if (!SeesOnlyPadding(convolution.window, context.ReadDims(0)))
    AddAllLayouts(convolution, context, recipes);
  if (recipes.empty()) {
    const ConvolutionLoops loops(convolution, context.ReadDims(0), context.OutputDims(),
                                 static_cast<std::int64_t>(context.batch));
    recipes.push_back(
        PlainMultiplication(context, *convolution.weights, convolution.bias.get(), loops));
  }
  return recipes;
}

// ---- Linear --------------------------------------------------------------------------------

namespace {

// As a convolution over images of one pixel, in each layout that is row-major there.
void AddAsConvolutions(const RecipeContext& context, std::int64_t rows, Multiplication m,
                       std::vector<Recipe>& recipes) {
  const std::int64_t outputs = m.weights_from.dims()[0];
  const std::int64_t inputs = m.weights_from.dims()[1];
  const TensorDims in = {inputs, 1, 1};
  const TensorDims out = {outputs, 1, 1};
  m.weights_from = {{outputs, inputs, 1, 1}, kFloat, Tag::oihw};
  for (Layout layout : {Layout::kChannelsLast, Layout::kBlocked8, Layout::kBlocked16}) {
    if (!SameBytes(in, layout, Layout::kPlain) || !SameBytes(out, layout, Layout::kPlain)) continue;
    if (layout == Layout::kChannelsLast && context.cap != InstructionCap::kNone) continue;
    m.source = DescOf(in, static_cast<std::size_t>(rows), layout);
    m.result = DescOf(out, static_cast<std::size_t>(rows), layout);
    m.last = kLastForPoints;
    m.suffix = fmt::format(" as {}", Name(layout));
    AddRecipes(
        context, m,
        [=, engine = context.engine](const dnnl::primitive_attr& attributes) {
          const Desc weights({outputs, inputs, 1, 1}, kFloat, Tag::any);
          const dnnl::convolution_forward::desc desc(
              kInference, dnnl::algorithm::convolution_direct, m.source, weights, m.bias, m.result,
              Dims{1, 1}, Dims{0, 0}, Dims{0, 0});
          return dnnl::convolution_forward::primitive_desc(desc, attributes, engine, true);
        },
        recipes);
  }
}

}  // namespace

std::vector<Recipe> RecipesOf(const Linear& linear, const RecipeContext& context) {
  const std::int64_t outputs = linear.weights->dims[0];
  const std::int64_t inputs = linear.weights->dims[1];
  const std::int64_t rows =
      static_cast<std::int64_t>(context.batch) * ElementsOf(context.ReadDims(0)) / inputs;
  std::vector<Recipe> recipes;
  Multiplication m{.source = {{rows, inputs}, kFloat, Tag::nc},
                   .weights_from = {{outputs, inputs}, kFloat, Tag::oi},
                   .result = {{rows, outputs}, kFloat, Tag::nc}};
  if (linear.bias != nullptr) m.bias = {{outputs}, kFloat, Tag::x};
  AddRecipes(
      context, m,
      [=, engine = context.engine](const dnnl::primitive_attr& attributes) {
        const Desc weights({outputs, inputs}, kFloat, Tag::any);
        const dnnl::inner_product_forward::desc desc(kInference, m.source, weights, m.bias,
                                                     m.result);
        return dnnl::inner_product_forward::primitive_desc(desc, attributes, engine, true);
      },
      recipes);
  AddAsConvolutions(context, rows, m, recipes);
  if (recipes.empty()) {
    const ConvolutionLoops loops({}, {inputs, 1, 1}, {outputs, 1, 1}, rows);
    recipes.push_back(PlainMultiplication(context, *linear.weights, linear.bias.get(), loops));
  }
  return recipes;
}

}  // namespace fairlead
