// Changes ONNX files for the fuzzer where it hurts: attributes, dimensions, names and types of
// operators. Bytes changed at random rarely pass the parser.

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <string_view>

#include "fairlead/base/random.h"
#include "tests/fuzz/fuzz_input.h"

using namespace fairlead;

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

// Words to choose from, a space between them.
constexpr std::string_view kOperatorTypes =
    "Conv ConvTranspose Gemm MatMul MaxPool AveragePool LpPool Add Relu GlobalAveragePool "
    "ReduceMean ReduceSum BatchNormalization Softmax LRN Resize Upsample Transpose Pad "
    "DepthToSpace SpaceToDepth Expand Gather Tile Concat Flatten Reshape Slice Split Squeeze "
    "Unsqueeze Shape Size Cast Mul Div Sub Where Constant ConstantOfShape Range TopK "
    "NonMaxSuppression LSTM GRU Einsum Loop Scan If OneHot GatherND ScatterND MaxRoiPool "
    "RoiAlign MaxUnpool ArgMax CumSum EyeLike NonZero Compress Multinomial QLinearConv "
    "ConvInteger MatMulInteger QLinearMatMul DynamicQuantizeLinear SequenceAt SplitToSequence "
    "StringNormalizer Unique GridSample DFT STFT HannWindow MelWeightMatrix Bernoulli "
    "RandomNormal Optional LayerNormalization ReverseSequence Det Hardmax GlobalLpPool "
    "GlobalMaxPool Clip LeakyRelu HardSigmoid PRelu Max Sum Identity Dropout LogSoftmax "
    "ReduceMax";

constexpr std::string_view kAttributeNames =
    "axis axes perm strides pads dilations kernel_shape group ceil_mode auto_pad keepdims split "
    "transA transB blocksize to start end output_shape output_padding num_outputs starts ends "
    "allowzero shape equation hidden_size direction batch_axis time_axis scales sizes alpha "
    "beta epsilon min max mode size broadcast value count_include_pad nearest_mode "
    "coordinate_transformation_mode noop_with_empty_axes";

constexpr std::string_view kAttributeTexts =
    "SAME_UPPER SAME_LOWER VALID linear align_corners asymmetric ceil pytorch_half_pixel";

class OnnxMutator {
 public:
  OnnxMutator(onnx::ModelProto& model, unsigned seed)
      : graph_(*model.mutable_graph()),
        opsets_(*model.mutable_opset_import()),
        random_(seed, "onnx") {}

  void Mutate() {
    if (graph_.node_size() == 0) return;
    onnx::NodeProto& node = *graph_.mutable_node(Below(graph_.node_size()));
    switch (Below(9)) {
      case 0: node.set_op_type(OneOf(kOperatorTypes)); break;
      case 1:
        if (node.input_size() > 0) node.set_input(Below(node.input_size()), Tensor());
        break;
      case 2: node.add_input(Tensor()); break;
      case 3: MutateAttribute(node); break;
      case 4: AddAttribute(node); break;
      case 5: MutateDims(); break;
      case 6: AddNode(node); break;
      case 7:
        if (!opsets_.empty()) opsets_.Mutable(0)->set_version(Below(20));
        break;
      default: MutateNumbers(); break;
    }
  }

 private:
  int Below(int bound) {
    return static_cast<int>(random_.Below(static_cast<std::uint64_t>(bound)));
  }

  std::string OneOf(std::string_view words) {
    for (auto before = Below(1 + static_cast<int>(std::ranges::count(words, ' '))); before > 0;
         --before)
      words.remove_prefix(words.find(' ') + 1);
    return std::string(words.substr(0, words.find(' ')));
  }

  std::int64_t Number() {
    constexpr std::array<std::int64_t, 14> kNumbers = {-1,
                                                       0,
                                                       1,
                                                       2,
                                                       3,
                                                       4,
                                                       7,
                                                       8,
                                                       1000,
                                                       -2,
                                                       INT32_MAX,
                                                       std::int64_t{1} << 40,
                                                       std::numeric_limits<std::int64_t>::max(),
                                                       std::numeric_limits<std::int64_t>::min()};
    return kNumbers[static_cast<std::size_t>(Below(kNumbers.size()))];
  }

  float Float() {
    return Below(4) == 0 ? static_cast<float>(Number()) : static_cast<float>(Below(8)) / 2;
  }

  // The name of something that is there, mostly.
  std::string Tensor() {
    const onnx::NodeProto& node = graph_.node(Below(graph_.node_size()));
    switch (Below(5)) {
      case 0: return "";
      case 1:
        if (graph_.initializer_size() > 0)
          return graph_.initializer(Below(graph_.initializer_size())).name();
        return "x";
      case 2: return "x";
      default: return node.output_size() > 0 ? node.output(Below(node.output_size())) : "x";
    }
  }

  void MutateAttribute(onnx::NodeProto& node) {
    if (node.attribute_size() == 0) return;
    onnx::AttributeProto& attribute = *node.mutable_attribute(Below(node.attribute_size()));
    switch (Below(4)) {
      case 0: attribute.set_i(Number()); break;
      case 1: attribute.add_ints(Number()); break;
      case 2: attribute.clear_ints(); break;
      default:
        if (attribute.ints_size() > 0) attribute.set_ints(Below(attribute.ints_size()), Number());
        break;
    }
  }

  void AddAttribute(onnx::NodeProto& node) {
    onnx::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(OneOf(kAttributeNames));
    switch (Below(5)) {
      case 0:
        attribute.set_type(onnx::AttributeProto::INT);
        attribute.set_i(Number());
        break;
      case 1:
        attribute.set_type(onnx::AttributeProto::STRING);
        attribute.set_s(OneOf(kAttributeTexts));
        break;
      case 2:
        attribute.set_type(onnx::AttributeProto::FLOAT);
        attribute.set_f(Float());
        break;
      default:
        attribute.set_type(onnx::AttributeProto::INTS);
        for (int i = Below(6); i > 0; --i) attribute.add_ints(Number());
        break;
    }
  }

  void MutateDims() {
    if (Below(2) == 0 && graph_.initializer_size() > 0) {
      onnx::TensorProto& tensor = *graph_.mutable_initializer(Below(graph_.initializer_size()));
      if (tensor.dims_size() > 0 && Below(3) > 0)
        tensor.set_dims(Below(tensor.dims_size()), Number());
      else
        tensor.add_dims(Number());
    } else if (graph_.input_size() > 0) {
      auto& shape =
          *graph_.mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
      if (shape.dim_size() > 0 && Below(3) > 0)
        shape.mutable_dim(Below(shape.dim_size()))->set_dim_value(Number());
      else
        shape.add_dim()->set_dim_value(Number());
    }
  }

  void MutateNumbers() {
    if (graph_.initializer_size() == 0) return;
    onnx::TensorProto& tensor = *graph_.mutable_initializer(Below(graph_.initializer_size()));
    if (Below(2) == 0) return FillWeights(tensor);
    tensor.set_data_type(Below(3) == 0 ? onnx::TensorProto::FLOAT : onnx::TensorProto::INT64);
    tensor.clear_data_location();
    tensor.clear_raw_data();
    tensor.clear_int64_data();
    tensor.clear_dims();
    const int count = Below(6);
    tensor.add_dims(count);
    for (int i = 0; i < count; ++i) {
      tensor.add_int64_data(Number());
      tensor.add_float_data(Float());
    }
  }

  // As many numbers as the dimensions ask for, if these are few; of any floating-point type.
  void FillWeights(onnx::TensorProto& tensor) {
    std::int64_t count = 1;
    for (std::int64_t dim : tensor.dims()) {
      if (dim < 1 || dim > 1000 || count > 1000) return;
      count *= dim;
    }
    constexpr std::array kTypes = {onnx::TensorProto::FLOAT, onnx::TensorProto::FLOAT16,
                                   onnx::TensorProto::BFLOAT16, onnx::TensorProto::DOUBLE};
    constexpr std::array kSizes = {4, 2, 2, 8};
    const auto kind = static_cast<std::size_t>(Below(kTypes.size()));
    tensor.clear_data_location();
    tensor.set_data_type(kTypes[kind]);
    tensor.set_raw_data(std::string(static_cast<std::size_t>(count * kSizes[kind]), '\x3c'));
  }

  // A node more, whose result takes the place of another's.
  void AddNode(onnx::NodeProto& node) {
    if (node.output_size() == 0) return;
    const std::string result = node.output(0);
    const std::string inner = result + "_";
    node.set_output(0, inner);
    onnx::NodeProto added;
    added.set_op_type(OneOf(kOperatorTypes));
    added.add_input(inner);
    for (int i = Below(3); i > 0; --i) added.add_input(Tensor());
    added.add_output(result);
    for (int i = Below(3); i > 0; --i) AddAttribute(added);
    int place = 0;  // behind the node
    while (&graph_.node(place) != &node) ++place;
    *graph_.add_node() = added;
    for (int i = graph_.node_size() - 1; i > place + 1; --i)
      graph_.mutable_node()->SwapElements(i, i - 1);
  }

  onnx::GraphProto& graph_;
  google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto>& opsets_;
  RandomStream random_;
};

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  onnx::ModelProto model;
  if (seed % 8 == 0 || !model.ParseFromArray(data, static_cast<int>(size)) || !model.has_graph())
    return LLVMFuzzerMutate(data, size, most);
  OnnxMutator mutator(model, seed);
  for (unsigned i = 0; i <= seed / 8 % 3; ++i) mutator.Mutate();
  const std::string bytes = model.SerializeAsString();
  if (bytes.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::ranges::copy(bytes, data);
  return bytes.size();
}
