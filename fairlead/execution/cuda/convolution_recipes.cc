#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "fairlead/execution/cuda/recipe_bodies.h"

namespace fairlead {
namespace {

using Pair = std::array<std::int64_t, 2>;

struct ConvolutionTensors {
  at::Tensor weights;
  at::Tensor bias;  // undefined: none
};

ConvolutionTensors Upload(const Convolution& body, const TorchSetting& setting) {
  return {setting.upload(body.weights), setting.upload(body.bias)};
}

// With pad_before on both sides, libtorch arrives at the same size and so at the same windows.
bool PaddingIsEven(const ImageWindow& window, const TensorDims& input, const TensorDims& output) {
  for (std::size_t axis : {0, 1}) {
    const std::int64_t reach = window.dilation[axis] * (window.kernel[axis] - 1) + 1;
    const std::int64_t room = input[axis + 1] + 2 * window.pad_before[axis] - reach;
    if (room < 0 || room / window.stride[axis] + 1 != output[axis + 1]) return false;
  }
  return true;
}

// The function of an image: pads it first where libtorch's convolutions cannot.
struct EvenlyPadded {
  EvenlyPadded(const ImageWindow& image_window, const OperatorSite& site)
      : window(image_window), output{site.output()[1], site.output()[2]} {
    even = PaddingIsEven(window, site.input(), site.output());
    padding = even ? window.pad_before : Pair{0, 0};
  }
  at::Tensor operator()(const at::Tensor& image) const {
    return even ? image : PaddedForWindows(image, window, output, 0);
  }

  ImageWindow window;
  Pair output;
  bool even = true;
  Pair padding{};  // left for the convolution to do
};

BodyRecipe Plain(const Convolution& body, const OperatorSite& site) {
  return {.name = "conv2d",
          .compute =
              [tensors = Upload(body, site.setting), pad = EvenlyPadded(body.window, site),
               groups = body.groups](Reads reads) {
                return at::conv2d(pad(reads[0]), tensors.weights, tensors.bias, pad.window.stride,
                                  pad.padding, pad.window.dilation, groups);
              },
          .by_cudnn = true};
}

// What cuDNN does after a convolution in one kernel.
struct FusedTail {
  bool adds = false;
  std::optional<float> limit;  // above: relu, then no more than this
  std::size_t posts = 0;
};

std::optional<FusedTail> FusedTailOf(const std::vector<PostOperation>& posts) {
  FusedTail tail;
  tail.adds = !posts.empty() && std::holds_alternative<AddedTensor>(posts[0]);
  tail.posts = tail.adds ? 2 : 1;
  if (posts.size() < tail.posts) return std::nullopt;
  const auto* activation = std::get_if<Activation>(&posts[tail.posts - 1]);
  if (activation == nullptr) return std::nullopt;
  if (activation->kind == ActivationKind::kRelu) return tail;
  if (activation->kind != ActivationKind::kClip || activation->alpha != 0) return std::nullopt;
  tail.limit = activation->beta;
  return tail;
}

BodyRecipe Fused(const Convolution& body, const OperatorSite& site, const FusedTail& tail) {
  return {.name = tail.limit  ? "cudnn conv+relu, clip"
                  : tail.adds ? "cudnn conv+add+relu"
                              : "cudnn conv+relu",
          .compute =
              [tensors = Upload(body, site.setting), pad = EvenlyPadded(body.window, site),
               groups = body.groups, tail](Reads reads) {
                const at::Tensor image = pad(reads[0]);
                const ImageWindow& window = pad.window;
                at::Tensor result =
                    tail.adds ? at::cudnn_convolution_add_relu(image, tensors.weights, reads[1],
                                                               1.0, tensors.bias, window.stride,
                                                               pad.padding, window.dilation, groups)
                              : at::cudnn_convolution_relu(image, tensors.weights, tensors.bias,
                                                           window.stride, pad.padding,
                                                           window.dilation, groups);
                if (tail.limit) result.clamp_max_(*tail.limit);
                return result;
              },
          .fused = tail.posts,
          .by_cudnn = true};
}

bool ReluComesFirst(const std::vector<PostOperation>& posts) {
  if (posts.empty()) return false;
  const auto* activation = std::get_if<Activation>(&posts[0]);
  return activation != nullptr && activation->kind == ActivationKind::kRelu;
}

// A row of `rows` times the weights, plus the bias.
at::Tensor MatrixProduct(const at::Tensor& rows, const at::Tensor& weights, const at::Tensor& bias,
                         bool relu) {
  if (!bias.defined()) return at::mm(rows, weights.t());
  return relu ? at::_addmm_activation(bias, rows, weights.t()) : at::addmm(bias, rows, weights.t());
}

// Pixels whose channels lie side by side are the rows of a matrix.
BodyRecipe AsProduct(const Convolution& body, const OperatorSite& site) {
  const bool relu = body.bias != nullptr && ReluComesFirst(site.op.then);
  const ConvolutionTensors tensors = Upload(body, site.setting);
  return {.name = relu ? "pixels addmm+relu" : "pixels addmm",
          .compute =
              [weights = tensors.weights.flatten(1), bias = tensors.bias, relu](Reads reads) {
                const at::Tensor pixels =
                    reads[0].contiguous(at::MemoryFormat::ChannelsLast).permute({0, 2, 3, 1});
                const at::Tensor rows = pixels.reshape({-1, pixels.size(3)});
                return MatrixProduct(rows, weights, bias, relu)
                    .view({pixels.size(0), pixels.size(1), pixels.size(2), weights.size(0)})
                    .permute({0, 3, 1, 2});
              },
          .fused = relu ? std::size_t{1} : 0};
}

bool IsProduct(const Convolution& body, const OperatorSite& site) {
  const ImageWindow& window = body.window;
  const Pair ones{1, 1};
  const Pair zeros{0, 0};
  return site.setting.images == at::MemoryFormat::ChannelsLast && body.groups == 1 &&
         window.kernel == ones && window.stride == ones && window.pad_before == zeros &&
         site.input()[1] == site.output()[1] && site.input()[2] == site.output()[2];
}

// How much longer than without it the result is at its end, for libtorch's sake; none where it
// would take another padding.
std::optional<Pair> OutputPadding(const ImageWindow& window, const OperatorSite& site) {
  Pair extra{};
  for (std::size_t axis : {0, 1}) {
    const std::int64_t size = (site.input()[axis + 1] - 1) * window.stride[axis] +
                              window.dilation[axis] * (window.kernel[axis] - 1) + 1 -
                              2 * window.pad_before[axis];
    extra[axis] = site.output()[axis + 1] - size;
    if (extra[axis] < 0 || extra[axis] >= std::max(window.stride[axis], window.dilation[axis]))
      return std::nullopt;
  }
  return extra;
}

BodyRecipe TransposedEven(const Convolution& body, const OperatorSite& site, Pair output_padding) {
  return {.name = "conv_transpose2d",
          .compute =
              [tensors = Upload(body, site.setting), window = body.window, groups = body.groups,
               output_padding](Reads reads) {
                return at::conv_transpose2d(reads[0], tensors.weights, tensors.bias, window.stride,
                                            window.pad_before, output_padding, groups,
                                            window.dilation);
              },
          .by_cudnn = true};
}

// Computes all that the inputs reach, cuts it to size, and only then adds the bias.
BodyRecipe TransposedAndCut(const Convolution& body, const OperatorSite& site) {
  return {
      .name = "conv_transpose2d, pad",
      .compute =
          [tensors = Upload(body, site.setting), window = body.window, groups = body.groups,
           output = Pair{site.output()[1], site.output()[2]}](Reads reads) {
            const Pair none{0, 0};
            const at::Tensor whole = at::conv_transpose2d(
                reads[0], tensors.weights, {}, window.stride, none, none, groups, window.dilation);
            const Pair before = window.pad_before;
            at::Tensor cut =
                at::constant_pad_nd(whole, {-before[1], output[1] + before[1] - whole.size(3),
                                            -before[0], output[0] + before[0] - whole.size(2)});
            return tensors.bias.defined() ? at::add(cut, tensors.bias.view({1, -1, 1, 1})) : cut;
          },
      .by_cudnn = true};
}

}  // namespace

Result<BodyRecipes> RecipesOfBody(const Convolution& body, const OperatorSite& site) {
  if (site.input().size() != 3) return Fail("a convolution of {} dimensions", site.input().size());
  if (body.transposed) {
    const std::optional<Pair> output_padding = OutputPadding(body.window, site);
    if (!output_padding) return BodyRecipes{TransposedAndCut(body, site)};
    return BodyRecipes{TransposedEven(body, site, *output_padding)};
  }
  BodyRecipes recipes = {Plain(body, site)};
  if (const std::optional<FusedTail> tail = FusedTailOf(site.op.then))
    recipes.push_back(Fused(body, site, *tail));
  if (IsProduct(body, site)) recipes.push_back(AsProduct(body, site));
  return recipes;
}

Result<BodyRecipes> RecipesOfBody(const Linear& body, const OperatorSite& site) {
  const auto product = [&](bool relu) {
    return BodyRecipe{
        .name = relu ? "addmm+relu" : "addmm",
        .compute =
            [weights = site.setting.upload(body.weights), bias = site.setting.upload(body.bias),
             relu, sizes = WithBatch(site.setting.batch, site.output())](Reads reads) {
              const at::Tensor rows = reads[0].reshape({-1, weights.size(1)});
              return MatrixProduct(rows, weights, bias, relu).view(sizes);
            },
        .fused = relu ? std::size_t{1} : 0};
  };
  BodyRecipes recipes = {product(false)};
  if (body.bias != nullptr && ReluComesFirst(site.op.then)) recipes.push_back(product(true));
  return recipes;
}

}  // namespace fairlead
