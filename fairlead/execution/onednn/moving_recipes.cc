#include <algorithm>
#include <utility>

#include "fairlead/execution/onednn/post_operations.h"
#include "fairlead/execution/onednn/recipes.h"
#include "fairlead/execution/strided_loops.h"

namespace fairlead {
namespace {

Recipe Loops(const RecipeContext& context, Layout layout, std::string name, PlainKernel kernel) {
  Recipe recipe{.name = std::move(name),
                .wants = std::vector<Layout>(context.op.Reads().size(), layout),
                .leaves = layout};
  recipe.calls.emplace_back(std::move(kernel));
  AppendPosts(context, layout, recipe);
  return recipe;
}

// From the first read, row-major.
Recipe CopyOf(const RecipeContext& context, std::string name, StridedCopy copy) {
  return Loops(context, Layout::kPlain, std::move(name),
               [copy = std::move(copy)](const RecipePlaces& places) {
                 copy.Run(places.reads[0], places.output);
               });
}

std::int64_t Batch(const RecipeContext& context) {
  return static_cast<std::int64_t>(context.batch);
}

// Numbers before and after the axis that lie together in memory, in this layout.
struct Stripes {
  std::int64_t before = 1;
  std::int64_t after = 1;  // for each entry of the axis
};

Stripes StripesAt(const RecipeContext& context, std::size_t axis, Layout layout) {
  const TensorDims& dims = context.OutputDims();
  Stripes stripes{.before = Batch(context)};
  if (layout == Layout::kChannelsLast) {
    stripes.before *= dims[1] * dims[2];
    return stripes;
  }
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (i < axis) stripes.before *= dims[i];
    if (i > axis) stripes.after *= dims[i];
  }
  return stripes;
}

bool CanConcatenateIn(const RecipeContext& context, std::size_t axis, Layout layout) {
  if (layout == Layout::kPlain) return true;
  if (axis != 0) return false;
  for (std::size_t i = 0; i < context.op.inputs.size(); ++i) {
    if (context.ReadDims(i)[0] % BlockOf(layout) != 0) return false;
  }
  return true;
}

}  // namespace

// One after the other: blocks of channels follow each other as channels do.
std::vector<Recipe> RecipesOf(const Concatenation& concatenation, const RecipeContext& context) {
  std::vector<Recipe> recipes;
  for (Layout layout : LayoutsFor(context.OutputDims())) {
    if (!CanConcatenateIn(context, concatenation.axis, layout)) continue;
    const auto [before, after] = StripesAt(context, concatenation.axis, layout);
    const std::int64_t whole = context.OutputDims()[concatenation.axis] * after;
    std::vector<StridedCopy> copies;
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < context.op.inputs.size(); ++i) {
      const std::int64_t part = context.ReadDims(i)[concatenation.axis] * after;
      copies.emplace_back(std::vector<StridedDimension>{{before, part, whole}, {part, 1, 1}}, 0,
                          offset);
      offset += part;
    }
    recipes.push_back(Loops(context, layout, "concatenation",
                            [copies = std::move(copies)](const RecipePlaces& places) {
                              for (std::size_t i = 0; i < copies.size(); ++i) {
                                if (places.reads[i] != nullptr)
                                  copies[i].Run(places.reads[i], places.output);
                              }
                            }));
  }
  return recipes;
}

std::vector<Recipe> RecipesOf(const Slice& slice, const RecipeContext& context) {
  const TensorDims from = DenseStrides(context.ReadDims(0));
  const TensorDims& out = context.OutputDims();
  const TensorDims to = DenseStrides(out);
  std::vector<StridedDimension> dimensions = {
      {Batch(context), ElementsOf(context.ReadDims(0)), ElementsOf(out)}};
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    dimensions.push_back({out[i], slice.step[i] * from[i], to[i]});
    offset += slice.start[i] * from[i];
  }
  return {CopyOf(context, "slice", {dimensions, offset, 0})};
}

std::vector<Recipe> RecipesOf(const Transposition& transposition, const RecipeContext& context) {
  const TensorDims from = DenseStrides(context.ReadDims(0));
  const TensorDims& out = context.OutputDims();
  const TensorDims to = DenseStrides(out);
  std::vector<StridedDimension> dimensions = {{Batch(context), ElementsOf(out), ElementsOf(out)}};
  for (std::size_t i = 0; i < out.size(); ++i)
    dimensions.push_back({out[i], from[transposition.order[i]], to[i]});
  return {CopyOf(context, "transposition", {dimensions, 0, 0})};
}

std::vector<Recipe> RecipesOf(const Padding& padding, const RecipeContext& context) {
  const TensorDims& in = context.ReadDims(0);
  const TensorDims from = DenseStrides(in);
  const TensorDims to = DenseStrides(context.OutputDims());
  const std::int64_t elements = Batch(context) * ElementsOf(context.OutputDims());
  std::vector<StridedDimension> dimensions = {
      {Batch(context), ElementsOf(in), ElementsOf(context.OutputDims())}};
  std::int64_t from_offset = 0;
  std::int64_t to_offset = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    // Negative padding cuts off.
    const std::int64_t cut_before = std::max<std::int64_t>(-padding.before[i], 0);
    const std::int64_t cut_after = std::max<std::int64_t>(-padding.after[i], 0);
    dimensions.push_back(
        {std::max<std::int64_t>(in[i] - cut_before - cut_after, 0), from[i], to[i]});
    from_offset += cut_before * from[i];
    to_offset += std::max<std::int64_t>(padding.before[i], 0) * to[i];
  }
  return {Loops(context, Layout::kPlain, "padding",
                [copy = StridedCopy(dimensions, from_offset, to_offset), elements,
                 value = padding.value](const RecipePlaces& places) {
                  std::fill_n(places.output, elements, value);
                  copy.Run(places.reads[0], places.output);
                })};
}

std::vector<Recipe> RecipesOf(const Reshape&, const RecipeContext& context) {
  Recipe recipe{.name = "reshape",
                .wants = std::vector<Layout>(context.op.Reads().size(), Layout::kPlain),
                .passes_on = context.op.then.empty()};
  if (!recipe.passes_on) {
    const std::int64_t elements = Batch(context) * ElementsOf(context.OutputDims());
    recipe.calls.emplace_back(PlainKernel([elements](const RecipePlaces& places) {
      std::copy_n(places.reads[0], elements, places.output);
    }));
    AppendPosts(context, Layout::kPlain, recipe);
  }
  return {recipe};
}

std::vector<Recipe> RecipesOf(const Resize& resize, const RecipeContext& context) {
  const TensorDims& in = context.ReadDims(0);
  const TensorDims& out = context.OutputDims();
  return {Loops(context, Layout::kPlain, "resize",
                [loops = ImageResize(resize, Batch(context) * in[0], in[1], in[2], out[1], out[2])](
                    const RecipePlaces& places) { loops.Run(places.reads[0], places.output); })};
}

std::vector<Recipe> RecipesOf(const Reduction& reduction, const RecipeContext& context) {
  TensorDims dims = context.ReadDims(0);
  dims.insert(dims.begin(), Batch(context));
  return {Loops(context, Layout::kPlain, "reduction",
                [loops = StridedReduction(reduction, dims)](const RecipePlaces& places) {
                  loops.Run(places.reads[0], places.output);
                })};
}

}  // namespace fairlead
