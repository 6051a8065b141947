#include <algorithm>
#include <utility>

#include "fairlead/execution/cuda/recipe_bodies.h"

namespace fairlead {
namespace {

bool IsUsualHardSigmoid(const Activation& activation) {
  return activation.alpha == 1.0F / 6 && activation.beta == 0.5F;
}

// alpha x + beta in one kernel: libtorch multiplies only the second operand of a sum.
void LinearTo(at::Tensor& out, const Activation& activation, const at::Tensor& x) {
  at::add_out(out, at::scalar_tensor(activation.beta), x, activation.alpha);
}

// What a tensor of these dimensions is next to one with `rank` of them: ones follow the batch.
at::Tensor Stretched(const at::Tensor& x, std::int64_t rank) {
  if (x.dim() == rank) return x;
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(rank), 1);
  sizes[0] = x.size(0);
  std::copy(x.sizes().begin() + 1, x.sizes().end(), sizes.end() - (x.dim() - 1));
  return x.reshape(sizes);
}

at::Tensor Combined(BinaryKind kind, const at::Tensor& a, const at::Tensor& b) {
  switch (kind) {
    case BinaryKind::kAdd: return at::add(a, b);
    case BinaryKind::kSubtract: return at::sub(a, b);
    case BinaryKind::kMultiply: return at::mul(a, b);
    case BinaryKind::kDivide: return at::div(a, b);
    case BinaryKind::kMaximum: return at::maximum(a, b);
    case BinaryKind::kMinimum: return at::minimum(a, b);
  }
  return {};
}

std::string_view NameOf(BinaryKind kind) {
  switch (kind) {
    case BinaryKind::kAdd: return "add";
    case BinaryKind::kSubtract: return "sub";
    case BinaryKind::kMultiply: return "mul";
    case BinaryKind::kDivide: return "div";
    case BinaryKind::kMaximum: return "maximum";
    case BinaryKind::kMinimum: return "minimum";
  }
  return {};
}

at::Tensor PerChannel(const WeightsPointer& weights, const OperatorSite& site) {
  const at::Tensor uploaded = site.setting.upload(weights);
  if (!uploaded.defined()) return {};
  std::vector<std::int64_t> sizes(site.input().size(), 1);
  sizes[0] = -1;
  return uploaded.reshape(sizes);
}

// In single precision: squares leave the range of half.
at::Tensor Normalised(const LocalResponseNorm& norm, const at::Tensor& x) {
  const at::Tensor numbers = x.to(at::kFloat);
  const std::int64_t before = (norm.size - 1) / 2;
  const std::int64_t behind = norm.size - 1 - before;
  // Channels become the depth of a volume of one channel, and a window over it the mean.
  const at::Tensor lines = numbers.flatten(2).unsqueeze(1).unsqueeze(4);
  const at::Tensor padded = at::constant_pad_nd(lines.square(), {0, 0, 0, 0, before, behind});
  at::Tensor scale = at::avg_pool3d(padded, {norm.size, 1, 1}, {1, 1, 1});
  scale.mul_(norm.alpha).add_(norm.bias).pow_(norm.beta);
  return numbers.div(scale.reshape(numbers.sizes())).to(x.scalar_type());
}

}  // namespace

at::Tensor Activated(const Activation& activation, const at::Tensor& x, bool in_place) {
  at::Tensor out = in_place ? x : at::empty_like(x);
  switch (activation.kind) {
    case ActivationKind::kRelu: at::clamp_min_out(out, x, 0); break;
    case ActivationKind::kLeakyRelu: at::leaky_relu_out(out, x, activation.alpha); break;
    case ActivationKind::kClip: at::clamp_out(out, x, activation.alpha, activation.beta); break;
    case ActivationKind::kSigmoid: at::sigmoid_out(out, x); break;
    case ActivationKind::kHardSigmoid:
      if (IsUsualHardSigmoid(activation)) {
        at::hardsigmoid_out(out, x);
      } else {
        LinearTo(out, activation, x);
        out.clamp_(0, 1);
      }
      break;
    case ActivationKind::kHardSwish: at::hardswish_out(out, x); break;
    case ActivationKind::kSilu: at::silu_out(out, x); break;
    case ActivationKind::kTanh: at::tanh_out(out, x); break;
    case ActivationKind::kElu: at::elu_out(out, x, activation.alpha); break;
    case ActivationKind::kGelu: at::gelu_out(out, x); break;
    case ActivationKind::kExp: at::exp_out(out, x); break;
    case ActivationKind::kSqrt: at::sqrt_out(out, x); break;
    case ActivationKind::kAbs: at::abs_out(out, x); break;
    case ActivationKind::kLinear: LinearTo(out, activation, x); break;
  }
  return out;
}

std::string NameOf(const Activation& activation) {
  switch (activation.kind) {
    case ActivationKind::kRelu: return "relu";
    case ActivationKind::kLeakyRelu: return "leaky_relu";
    case ActivationKind::kClip: return "clamp";
    case ActivationKind::kSigmoid: return "sigmoid";
    case ActivationKind::kHardSigmoid: return "hardsigmoid";
    case ActivationKind::kHardSwish: return "hardswish";
    case ActivationKind::kSilu: return "silu";
    case ActivationKind::kTanh: return "tanh";
    case ActivationKind::kElu: return "elu";
    case ActivationKind::kGelu: return "gelu";
    case ActivationKind::kExp: return "exp";
    case ActivationKind::kSqrt: return "sqrt";
    case ActivationKind::kAbs: return "abs";
    case ActivationKind::kLinear: return "linear";
  }
  return {};
}

Result<BodyRecipes> RecipesOfBody(const ChannelScale& body, const OperatorSite& site) {
  return BodyRecipes{{.name = "channel scale",
                      .compute = [scale = PerChannel(body.scale, site),
                                  shift = PerChannel(body.shift, site)](Reads reads) {
                        if (!scale.defined())
                          return shift.defined() ? at::add(reads[0], shift) : reads[0];
                        return shift.defined() ? at::addcmul(shift, reads[0], scale)
                                               : at::mul(reads[0], scale);
                      }}};
}

Result<BodyRecipes> RecipesOfBody(const Activation& body, const OperatorSite&) {
  return BodyRecipes{{.name = NameOf(body),
                      .compute = [body](Reads reads) { return Activated(body, reads[0], false); }}};
}

Result<BodyRecipes> RecipesOfBody(const Binary& body, const OperatorSite&) {
  return BodyRecipes{
      {.name = std::string(NameOf(body.kind)), .compute = [kind = body.kind](Reads reads) {
         const std::int64_t rank = std::max(reads[0].dim(), reads[1].dim());
         return Combined(kind, Stretched(reads[0], rank), Stretched(reads[1], rank));
       }}};
}

Result<BodyRecipes> RecipesOfBody(const Softmax& body, const OperatorSite&) {
  const auto axis = static_cast<std::int64_t>(body.axis) + 1;
  if (body.logarithm)
    return BodyRecipes{{.name = "log_softmax", .compute = [axis](Reads reads) {
                          return at::log_softmax(reads[0], axis);
                        }}};
  return BodyRecipes{
      {.name = "softmax", .compute = [axis](Reads reads) { return at::softmax(reads[0], axis); }}};
}

Result<BodyRecipes> RecipesOfBody(const LocalResponseNorm& body, const OperatorSite& site) {
  if (site.input().size() < 2) return Fail("a norm across channels of nothing else");
  return BodyRecipes{{.name = "avg_pool3d of squares",
                      .compute = [body](Reads reads) { return Normalised(body, reads[0]); }}};
}

Result<BodyRecipes> RecipesOfBody(const Reduction& body, const OperatorSite& site) {
  std::vector<std::int64_t> axes;
  for (std::size_t axis : body.axes) axes.push_back(static_cast<std::int64_t>(axis) + 1);
  const auto reduced = [axes](ReductionKind kind, const at::Tensor& x) {
    switch (kind) {
      case ReductionKind::kMean: return x.mean(axes, true);
      case ReductionKind::kSum: return x.sum(axes, true);
      case ReductionKind::kMaximum: return x.amax(axes, true);
    }
    return x;
  };
  const char* name = body.kind == ReductionKind::kMean  ? "mean"
                     : body.kind == ReductionKind::kSum ? "sum"
                                                        : "amax";
  return BodyRecipes{
      {.name = name,
       .compute = [reduced, kind = body.kind, sizes = WithBatch(site.setting.batch, site.output())](
                      Reads reads) { return reduced(kind, reads[0]).reshape(sizes); }}};
}

}  // namespace fairlead
