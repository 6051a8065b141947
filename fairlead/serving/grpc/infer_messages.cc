#include "fairlead/serving/grpc/infer_messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>

#include "fairlead/base/units.h"
#include "fairlead/serving/call_parameters.h"
#include "fairlead/serving/classification.h"

namespace fairlead {
namespace {

using inference::InferParameter;
using inference::InferTensorContents;
using inference::ModelInferRequest;

constexpr int kMostTensors = 1024;
constexpr int kMostDimensions = 32;
constexpr std::string_view kClasses = "classification";  // a parameter of outputs

using Parameters = google::protobuf::Map<std::string, InferParameter>;

// The whole number of a parameter, from 0, if it is one; 0 where it is not there.
Result<std::uint64_t> WholeNumber(const Parameters& parameters, std::string_view name) {
  const auto found = parameters.find(name);
  if (found == parameters.end()) return 0;
  const InferParameter& parameter = found->second;
  std::optional<std::int64_t> number;
  switch (parameter.parameter_choice_case()) {
    case InferParameter::kInt64Param: number = parameter.int64_param(); break;
    case InferParameter::kUint64Param: return parameter.uint64_param();
    case InferParameter::kStringParam:
      if (const auto parsed = ParseInteger(parameter.string_param()); parsed.has_value())
        number = *parsed;
      break;
    default: break;
  }
  if (!number.has_value() || *number < 0)
    return Fail("parameter '{}' is not a whole number from 0", name);
  return static_cast<std::uint64_t>(*number);
}

Status TakeParameters(const Parameters& parameters, InferenceCall& call) {
  ASSIGN_OR_RETURN(const std::uint64_t timeout, WholeNumber(parameters, "timeout"));
  ASSIGN_OR_RETURN(const std::uint64_t priority, WholeNumber(parameters, "priority"));
  call.timeout = TimeoutOf(timeout);
  call.priority = PriorityOf(priority);
  return {};
}

Status RefuseSharedMemory(const Parameters& parameters) {
  for (const auto& [name, parameter] : parameters) {
    if (name.starts_with("shared_memory_")) return Fail("shared memory is not supported");
  }
  return {};
}

template <typename Field>
SharedBytes Share(const std::shared_ptr<const ModelInferRequest>& request, const Field& field) {
  return {.owner = request,
          .bytes = std::as_bytes(std::span(field.data(), static_cast<std::size_t>(field.size())))};
}

// Numbers that a message has in more bytes than their type.
template <typename Number, typename Field>
Result<SharedBytes> Narrow(const Field& field) {
  const auto count = static_cast<std::size_t>(field.size());
  auto numbers = std::make_shared_for_overwrite<Number[]>(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto number = field.Get(static_cast<int>(i));
    if (!std::in_range<Number>(number)) return Fail("{} is out of its type's range", number);
    numbers[i] = static_cast<Number>(number);
  }
  const auto bytes = std::as_bytes(std::span(numbers.get(), count));
  return SharedBytes{.owner = std::move(numbers), .bytes = bytes};
}

Result<SharedBytes> BytesOf(const std::shared_ptr<const ModelInferRequest>& request,
                            TensorType type, const InferTensorContents& contents) {
  switch (type) {
    case TensorType::kBool: return Share(request, contents.bool_contents());
    case TensorType::kInt8: return Narrow<std::int8_t>(contents.int_contents());
    case TensorType::kInt16: return Narrow<std::int16_t>(contents.int_contents());
    case TensorType::kInt32: return Share(request, contents.int_contents());
    case TensorType::kInt64: return Share(request, contents.int64_contents());
    case TensorType::kUint8: return Narrow<std::uint8_t>(contents.uint_contents());
    case TensorType::kUint16: return Narrow<std::uint16_t>(contents.uint_contents());
    case TensorType::kUint32: return Share(request, contents.uint_contents());
    case TensorType::kUint64: return Share(request, contents.uint64_contents());
    case TensorType::kFp32: return Share(request, contents.fp32_contents());
    case TensorType::kFp64: return Share(request, contents.fp64_contents());
    case TensorType::kFp16:
    case TensorType::kBf16: return Fail("{} needs raw_input_contents", ToString(type));
    case TensorType::kBytes: break;
  }
  return SharedBytes{.owner = request, .bytes = {}};  // no network takes it, whatever it is
}

Result<TensorData> InputOf(const std::shared_ptr<const ModelInferRequest>& request, int index) {
  const ModelInferRequest::InferInputTensor& input = request->inputs(index);
  const auto type = FindTensorType(input.datatype());
  if (!type.has_value()) return Fail("unknown datatype '{}'", input.datatype().substr(0, 80));
  if (input.shape_size() > kMostDimensions) return Fail("too many dimensions");
  TensorData tensor{.info = {.name = input.name(),
                             .type = *type,
                             .shape = {input.shape().begin(), input.shape().end()}},
                    .data = {}};
  const auto count = ElementCount(tensor.info.shape);
  if (!count.has_value()) return Fail("its shape has no number of elements");
  if (request->raw_input_contents_size() > 0) {
    if (input.has_contents()) return Fail("it has contents beside raw_input_contents");
    tensor.data = Share(request, request->raw_input_contents(index));
  } else {
    ASSIGN_OR_RETURN(tensor.data, BytesOf(request, *type, input.contents()));
  }
  const std::size_t bytes = static_cast<std::size_t>(*count) * ElementBytes(*type);
  if (*type != TensorType::kBytes && tensor.data.bytes.size() != bytes)
    return Fail("it has {} bytes, and {} elements of {} have {}", tensor.data.bytes.size(), *count,
                ToString(*type), bytes);
  return tensor;
}

// Whether a message has a field for such numbers.
bool HasField(TensorType type) { return type != TensorType::kFp16 && type != TensorType::kBf16; }

template <typename Number, typename Field>
void Append(std::span<const std::byte> bytes, Field& field) {
  using Element = std::remove_cvref_t<decltype(field.Get(0))>;
  field.Reserve(static_cast<int>(bytes.size() / sizeof(Number)));
  for (std::size_t at = 0; at + sizeof(Number) <= bytes.size(); at += sizeof(Number)) {
    Number number;
    std::memcpy(&number, bytes.data() + at, sizeof(Number));
    field.Add(static_cast<Element>(number));
  }
}

void AppendTexts(std::span<const std::byte> bytes, InferTensorContents& contents) {
  std::uint32_t size = 0;
  while (bytes.size() >= sizeof size) {
    std::memcpy(&size, bytes.data(), sizeof size);
    bytes = bytes.subspan(sizeof size);
    const std::size_t length = std::min<std::size_t>(size, bytes.size());
    contents.add_bytes_contents(bytes.data(), length);
    bytes = bytes.subspan(length);
  }
}

void WriteContents(const TensorData& tensor, InferTensorContents& contents) {
  const std::span<const std::byte> bytes = tensor.data.bytes;
  switch (tensor.info.type) {
    case TensorType::kBool: return Append<std::uint8_t>(bytes, *contents.mutable_bool_contents());
    case TensorType::kInt8: return Append<std::int8_t>(bytes, *contents.mutable_int_contents());
    case TensorType::kInt16: return Append<std::int16_t>(bytes, *contents.mutable_int_contents());
    case TensorType::kInt32: return Append<std::int32_t>(bytes, *contents.mutable_int_contents());
    case TensorType::kInt64: return Append<std::int64_t>(bytes, *contents.mutable_int64_contents());
    case TensorType::kUint8: return Append<std::uint8_t>(bytes, *contents.mutable_uint_contents());
    case TensorType::kUint16:
      return Append<std::uint16_t>(bytes, *contents.mutable_uint_contents());
    case TensorType::kUint32:
      return Append<std::uint32_t>(bytes, *contents.mutable_uint_contents());
    case TensorType::kUint64:
      return Append<std::uint64_t>(bytes, *contents.mutable_uint64_contents());
    case TensorType::kFp32: return Append<float>(bytes, *contents.mutable_fp32_contents());
    case TensorType::kFp64: return Append<double>(bytes, *contents.mutable_fp64_contents());
    case TensorType::kBytes: return AppendTexts(bytes, contents);
    case TensorType::kFp16:
    case TensorType::kBf16: break;
  }
}

// Of an output: as many as the client asks for; it was looked at when the request came.
std::uint64_t ClassesOf(const ModelInferRequest& request, std::string_view output) {
  const auto wanted = std::ranges::find(
      request.outputs(), output, [](const auto& one) -> std::string_view { return one.name(); });
  if (wanted == request.outputs().end()) return 0;
  return WholeNumber(wanted->parameters(), kClasses).value_or(0);
}

}  // namespace

Result<InferenceCall> CallOf(const std::shared_ptr<const ModelInferRequest>& request) {
  InferenceCall call{.network = request->model_name()};
  if (request->inputs_size() > kMostTensors || request->outputs_size() > kMostTensors)
    return Fail("too many tensors");
  for (const auto& input : request->inputs()) {
    if (const Status none = RefuseSharedMemory(input.parameters()); !none.has_value())
      return Fail("input '{}': {}", input.name(), none.error().message);
  }
  const int raw = request->raw_input_contents_size();
  if (raw > 0 && raw != request->inputs_size())
    return Fail("{} inputs, and {} raw_input_contents", request->inputs_size(), raw);
  RETURN_IF_ERROR(TakeParameters(request->parameters(), call));
  for (int i = 0; i < request->inputs_size(); ++i) {
    auto tensor = InputOf(request, i);
    if (!tensor.has_value())
      return Fail("input '{}': {}", request->inputs(i).name(), tensor.error().message);
    call.inputs.push_back(std::move(*tensor));
  }
  for (const auto& output : request->outputs()) {
    RETURN_IF_ERROR(RefuseSharedMemory(output.parameters()));
    RETURN_IF_ERROR(WholeNumber(output.parameters(), kClasses));
    call.outputs.push_back(output.name());
  }
  return call;
}

bool WantsClasses(const ModelInferRequest& request) {
  return std::ranges::any_of(request.outputs(),
                             [](const auto& one) { return one.parameters().contains(kClasses); });
}

void WriteAnswer(const ModelInferRequest& request, const InferenceAnswer& answer, bool stacked,
                 inference::ModelInferResponse& response) {
  response.set_model_name(request.model_name());
  response.set_model_version("1");
  response.set_id(request.id());
  const bool raw =
      request.raw_input_contents_size() > 0 ||
      !std::ranges::all_of(answer.outputs, [](const auto& o) { return HasField(o.info.type); });
  for (const TensorData& whole : answer.outputs) {
    std::optional<TensorData> classes;
    if (const std::uint64_t count = ClassesOf(request, whole.info.name); count > 0)
      classes = HighestOf(whole, count, stacked);
    const TensorData& tensor = classes.has_value() ? *classes : whole;
    auto& output = *response.add_outputs();
    output.set_name(tensor.info.name);
    output.set_datatype(std::string(ToString(tensor.info.type)));
    output.mutable_shape()->Add(tensor.info.shape.begin(), tensor.info.shape.end());
    if (raw) {
      response.add_raw_output_contents(tensor.data.bytes.data(), tensor.data.bytes.size());
    } else {
      WriteContents(tensor, *output.mutable_contents());
    }
  }
}

}  // namespace fairlead
