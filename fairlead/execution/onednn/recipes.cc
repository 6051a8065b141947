#include "fairlead/execution/onednn/recipes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <variant>

#include "fairlead/execution/onednn/load_limits.h"

namespace fairlead {

namespace {

// ---- Signatures ----------------------------------------------------------------------------

std::string SignatureOf(const ImageWindow& w) {
  return fmt::format("k{}x{}s{}x{}d{}x{}p{},{},{},{}", w.kernel[0], w.kernel[1], w.stride[0],
                     w.stride[1], w.dilation[0], w.dilation[1], w.pad_before[0], w.pad_before[1],
                     w.pad_after[0], w.pad_after[1]);
}

// Numbers in full, so that none that differ look the same.
struct AttributeWriter {
  std::string operator()(const Convolution& c) const {
    return fmt::format("{}g{}{}{}", SignatureOf(c.window), c.groups, c.transposed ? "t" : "",
                       c.bias != nullptr ? "b" : "");
  }
  std::string operator()(const Linear& l) const { return l.bias != nullptr ? "b" : ""; }
  std::string operator()(const Pool& p) const {
    return fmt::format("{}{}", static_cast<int>(p.kind), SignatureOf(p.window));
  }
  std::string operator()(const ChannelScale&) const { return ""; }
  std::string operator()(const Activation& a) const {
    return fmt::format("{},{},{}", static_cast<int>(a.kind), a.alpha, a.beta);
  }
  std::string operator()(const Binary& b) const {
    return fmt::format("{}", static_cast<int>(b.kind));
  }
  std::string operator()(const Concatenation& c) const { return fmt::format("{}", c.axis); }
  std::string operator()(const Slice& s) const {
    return fmt::format("{}:{}", fmt::join(s.start, ","), fmt::join(s.step, ","));
  }
  std::string operator()(const Transposition& t) const {
    return fmt::format("{}", fmt::join(t.order, ","));
  }
  std::string operator()(const Reshape&) const { return ""; }
  std::string operator()(const Resize& r) const {
    return fmt::format("{},{},{}", static_cast<int>(r.kind), static_cast<int>(r.grid),
                       static_cast<int>(r.rounding));
  }
  std::string operator()(const Softmax& s) const {
    return fmt::format("{}{}", s.axis, s.logarithm ? "log" : "");
  }
  std::string operator()(const LocalResponseNorm& n) const {
    return fmt::format("{},{},{},{}", n.size, n.alpha, n.beta, n.bias);
  }
  std::string operator()(const Reduction& r) const {
    return fmt::format("{}:{}", static_cast<int>(r.kind), fmt::join(r.axes, ","));
  }
  std::string operator()(const Padding& p) const {
    return fmt::format("{}:{}:{}", fmt::join(p.before, ","), fmt::join(p.after, ","), p.value);
  }
  std::string operator()(const Opaque&) const { return ""; }
};

// SSE 4.1 is never the fastest where there is anything newer, and takes long to time.
void DropOldInstructions(std::vector<Recipe>& recipes) {
  const auto old = [](const Recipe& recipe) {
    return recipe.name.find("sse41") != std::string::npos;
  };
  if (!std::ranges::all_of(recipes, old)) std::erase_if(recipes, old);
}

// Blocks pad few channels to many: leaves out what would need more than half of the memory, unless
// all do.
void DropTooLarge(const RecipeContext& context, std::vector<Recipe>& recipes) {
  const auto too_large = [&](const Recipe& recipe) {
    auto elements = static_cast<double>(StoredElements(context.OutputDims(), recipe.leaves));
    for (std::size_t i = 0; i < recipe.wants.size(); ++i)
      elements += static_cast<double>(StoredElements(context.ReadDims(i), recipe.wants[i]));
    const double bytes = elements * static_cast<double>(context.batch * sizeof(float));
    return bytes > static_cast<double>(PhysicalMemory()) / 2;
  };
  if (!std::ranges::all_of(recipes, too_large)) std::erase_if(recipes, too_large);
}

constexpr std::int64_t kWidestWindow = 1 << 16;

bool IsBelievable(const ImageWindow& window) {
  for (const auto* numbers :
       {&window.kernel, &window.stride, &window.dilation, &window.pad_before, &window.pad_after}) {
    if (std::ranges::any_of(*numbers, [](std::int64_t n) { return n > kWidestWindow; }))
      return false;
  }
  return true;
}

// ---- What can be refused before oneDNN is asked --------------------------------------------

constexpr std::size_t kMostDimensions = 8;

struct Refusal {
  std::string operator()(const Convolution& convolution, const RecipeContext& context) const {
    if (!IsImage(context.ReadDims(0))) return "only convolutions over height and width are known";
    return IsBelievable(convolution.window) ? "" : "its window is too large to be believed";
  }
  std::string operator()(const Pool& pool, const RecipeContext& context) const {
    if (!IsImage(context.ReadDims(0))) return "only pools over height and width are known";
    return IsBelievable(pool.window) ? "" : "its window is too large to be believed";
  }
  std::string operator()(const Resize&, const RecipeContext& context) const {
    return IsImage(context.ReadDims(0)) ? "" : "only images can be resized";
  }
  std::string operator()(const LocalResponseNorm&, const RecipeContext& context) const {
    return IsImage(context.ReadDims(0)) ? "" : "only images can be normalised like this";
  }
  std::string operator()(const Opaque&, const RecipeContext&) const {
    return "no executor carries it out";
  }
  template <typename Other>
  std::string operator()(const Other&, const RecipeContext&) const {
    return "";
  }
};

std::string WhyNot(const RecipeContext& context) {
  const auto too_deep = [](const TensorDims& dims) { return dims.size() > kMostDimensions; };
  for (std::size_t i = 0; i < context.op.Reads().size(); ++i) {
    if (too_deep(context.ReadDims(i)))
      return fmt::format("more than {} dimensions", kMostDimensions);
  }
  if (too_deep(context.OutputDims()))
    return fmt::format("more than {} dimensions", kMostDimensions);
  return std::visit([&](const auto& body) { return Refusal{}(body, context); }, context.op.body);
}

}  // namespace

const TensorDims& RecipeContext::ReadDims(std::size_t index) const {
  return graph.tensors[op.Reads()[index]].dims;
}

const TensorDims& RecipeContext::OutputDims() const { return graph.tensors[op.output].dims; }

dnnl::memory::desc RecipeContext::ReadDesc(std::size_t index, Layout layout) const {
  return DescOf(ReadDims(index), batch, layout);
}

dnnl::memory::desc RecipeContext::OutputDesc(Layout layout) const {
  return DescOf(OutputDims(), batch, layout);
}

std::size_t Recipe::ScratchBytes() const {
  std::size_t most = 0;
  for (const auto& call : calls) {
    const auto* primitive = std::get_if<PrimitiveCall>(&call);
    if (primitive == nullptr) continue;
    for (const PrimitiveCall::Argument& argument : primitive->arguments) {
      if (argument.operand.kind == Operand::Kind::kScratch)
        most = std::max(most, argument.desc.get_size());
    }
  }
  return most;
}

Result<std::vector<Recipe>> RecipesFor(const RecipeContext& context) {
  if (const std::string why = WhyNot(context); !why.empty()) return Fail("{}", why);
  try {
    std::vector<Recipe> recipes =
        std::visit([&](const auto& body) { return RecipesOf(body, context); }, context.op.body);
    DropOldInstructions(recipes);
    DropTooLarge(context, recipes);
    if (!recipes.empty()) return recipes;
  } catch (const dnnl::error&) {  // like having none
  }
  if (context.cap != InstructionCap::kNone) {
    // Better some that ignore the cap than not to run at all.
    RecipeContext uncapped{context.engine, context.graph, context.op, context.batch,
                           InstructionCap::kNone};
    return RecipesFor(uncapped);
  }
  return Fail("oneDNN offers no implementation for {}", SignatureOf(context));
}

std::string SignatureOf(const RecipeContext& context) {
  std::string text = fmt::format("{}", NameOf(context.op.body));
  text += '[' + std::visit(AttributeWriter{}, context.op.body) + ']';
  for (std::size_t i = 0; i < context.op.Reads().size(); ++i)
    text += fmt::format("({})", fmt::join(context.ReadDims(i), "x"));
  text += fmt::format("->({})", fmt::join(context.OutputDims(), "x"));
  for (const PostOperation& post : context.op.then) {
    if (const auto* activation = std::get_if<Activation>(&post)) {
      text += "+f[" + AttributeWriter{}(*activation) + ']';
    } else {
      text += "+sum";
    }
  }
  return text;
}

}  // namespace fairlead
