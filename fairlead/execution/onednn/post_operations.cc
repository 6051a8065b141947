#include "fairlead/execution/onednn/post_operations.h"

#include <utility>

#include "fairlead/base/check.h"
#include "fairlead/execution/onednn/implementations.h"

namespace fairlead {
namespace {

using Algorithm = dnnl::algorithm;

struct Function {
  Algorithm algorithm;
  float alpha = 0;
  float beta = 0;
};

// As oneDNN's functions, one after the other.
std::vector<Function> FunctionsOf(const Activation& activation) {
  const float alpha = activation.alpha;
  const float beta = activation.beta;
  switch (activation.kind) {
    case ActivationKind::kRelu: return {{Algorithm::eltwise_relu}};
    case ActivationKind::kLeakyRelu: return {{Algorithm::eltwise_relu, alpha}};
    case ActivationKind::kClip: return {{Algorithm::eltwise_clip, alpha, beta}};
    case ActivationKind::kSigmoid: return {{Algorithm::eltwise_logistic}};
    case ActivationKind::kHardSigmoid:
      return {{Algorithm::eltwise_linear, alpha, beta}, {Algorithm::eltwise_clip, 0, 1}};
    case ActivationKind::kHardSwish: return {{Algorithm::eltwise_hardswish}};
    case ActivationKind::kSilu: return {{Algorithm::eltwise_swish, 1}};
    case ActivationKind::kTanh: return {{Algorithm::eltwise_tanh}};
    case ActivationKind::kElu: return {{Algorithm::eltwise_elu, alpha}};
    case ActivationKind::kGelu: return {{Algorithm::eltwise_gelu_erf}};
    case ActivationKind::kExp: return {{Algorithm::eltwise_exp}};
    case ActivationKind::kSqrt: return {{Algorithm::eltwise_sqrt}};
    case ActivationKind::kAbs: return {{Algorithm::eltwise_abs}};
    case ActivationKind::kLinear: return {{Algorithm::eltwise_linear, alpha, beta}};
  }
  CHECK(false);
  return {};
}

}  // namespace

dnnl::primitive_attr BareAttributes() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

std::optional<FusedPosts> FusePosts(const GraphOperator& op) {
  FusedPosts fused{.attributes = BareAttributes()};
  dnnl::post_ops posts;
  std::size_t read = op.inputs.size();
  for (const PostOperation& post : op.then) {
    if (const auto* activation = std::get_if<Activation>(&post)) {
      for (const Function& function : FunctionsOf(*activation))
        posts.append_eltwise(1, function.algorithm, function.alpha, function.beta);
    } else {
      if (fused.accumulates.has_value()) return std::nullopt;
      fused.accumulates = read++;
      posts.append_sum(1);
    }
  }
  fused.attributes.set_post_ops(posts);
  return fused;
}

void AppendPosts(const RecipeContext& context, Layout layout, Recipe& recipe) {
  const dnnl::memory::desc desc = context.OutputDesc(layout);
  std::size_t read = context.op.inputs.size();
  for (const PostOperation& post : context.op.then) {
    if (const auto* activation = std::get_if<Activation>(&post)) {
      AppendActivation(context, *activation, desc, kOutputOperand, recipe);
    } else {
      const auto sum = [desc, engine = context.engine] {
        return dnnl::binary::primitive_desc({Algorithm::binary_add, desc, desc, desc},
                                            BareAttributes(), engine);
      };
      recipe.calls.emplace_back(CallOf(sum, {{DNNL_ARG_SRC_0, desc, kOutputOperand},
                                             {DNNL_ARG_SRC_1, desc, {.index = read++}},
                                             {DNNL_ARG_DST, desc, kOutputOperand}}));
    }
  }
}

void AppendActivation(const RecipeContext& context, const Activation& activation,
                      const dnnl::memory::desc& desc, Operand from, Recipe& recipe) {
  for (const Function& function : FunctionsOf(activation)) {
    const auto eltwise = [desc, function, engine = context.engine] {
      return dnnl::eltwise_forward::primitive_desc(
          {dnnl::prop_kind::forward_inference, function.algorithm, desc, function.alpha,
           function.beta},
          BareAttributes(), engine);
    };
    recipe.calls.emplace_back(
        CallOf(eltwise, {{DNNL_ARG_SRC, desc, from}, {DNNL_ARG_DST, desc, kOutputOperand}}));
    from = kOutputOperand;
  }
}

}  // namespace fairlead
