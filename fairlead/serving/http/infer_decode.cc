#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "fairlead/base/units.h"
#include "fairlead/serving/call_parameters.h"
#include "fairlead/serving/http/infer_codec.h"
#include "fairlead/serving/http/json_tensor.h"
#include "fairlead/serving/json_reader.h"

namespace fairlead {
namespace {

constexpr std::size_t kMostTensors = 1024;
constexpr std::size_t kMostDimensions = 32;

// An input as it stands in JSON; its data may come before its type.
struct WrittenInput {
  TensorInfo info;
  std::optional<std::string> type;
  bool has_shape = false;
  std::optional<std::size_t> data_begin;
  std::string_view data;
  std::optional<std::uint64_t> binary_size;
};

class InferDecoder {
 public:
  InferDecoder(std::shared_ptr<const std::string> body, std::size_t json)
      : body_(std::move(body)), reader_(std::string_view(*body_).substr(0, json)), at_(json) {}

  Result<InferRequest> Decode() {
    std::string key;
    std::vector<std::string> keys;
    for (reader_.EnterObject(); reader_.NextKey(key);) {
      if (IsNull()) continue;
      if (std::ranges::find(keys, key) != keys.end()) {
        reader_.Wrong(fmt::format("'{}' stands twice", key.substr(0, 80)));
      } else if (key == "id") {
        reader_.TakeText(request_.id.emplace());
      } else if (key == "parameters") {
        ReadParameters();
      } else if (key == "inputs") {
        ReadInputs();
      } else if (key == "outputs") {
        ReadOutputs();
      } else {
        reader_.Skip();
        continue;
      }
      keys.push_back(key);
    }
    reader_.Finish();
    RETURN_IF_ERROR(reader_.status());
    if (inputs_.empty()) return Fail("'inputs' is missing or empty");
    for (WrittenInput& input : inputs_) RETURN_IF_ERROR(AddInput(input));
    if (at_ != body_->size())
      return Fail("{} bytes follow that no input speaks of", body_->size() - at_);
    return std::move(request_);
  }

 private:
  // A member that is null is one that is not there: clients made from schemas write all that there
  // could be.
  bool IsNull() { return reader_.Next() == JsonReader::Kind::kNull && reader_.TakeNull(); }

  // A whole number from 0; some clients write it as a text.
  bool TakeWhole(std::string_view name, std::uint64_t& number) {
    if (reader_.Next() != JsonReader::Kind::kText) {
      std::string_view digits;
      if (!reader_.TakeNumber(digits)) return false;
      const auto [end, error] = std::from_chars(digits.begin(), digits.end(), number);
      if (error == std::errc{} && end == digits.end()) return true;
      return reader_.Wrong(
          fmt::format("{}: expected a whole number from 0, of at most 64 bits", name));
    }
    std::string text;
    if (!reader_.TakeText(text)) return false;
    const auto parsed = ParseInteger(text);
    if (!parsed.has_value() || *parsed < 0)
      return reader_.Wrong(fmt::format("{}: expected a whole number from 0", name));
    number = static_cast<std::uint64_t>(*parsed);
    return true;
  }

  void ReadParameters() {
    std::string key;
    for (reader_.EnterObject(); reader_.NextKey(key);) {
      if (IsNull()) continue;
      if (key == "timeout") {
        std::uint64_t timeout = 0;
        if (TakeWhole(key, timeout)) request_.timeout = TimeoutOf(timeout);
      } else if (key == "priority") {
        std::uint64_t priority = 0;
        if (TakeWhole(key, priority)) request_.priority = PriorityOf(priority);
      } else if (key == "binary_data_output") {
        bool binary = false;
        reader_.TakeBool(binary);
        request_.form = binary ? TensorForm::kBinary : TensorForm::kJson;
      } else {
        reader_.Skip();
      }
    }
  }

  void ReadShape(WrittenInput& input) {
    if (std::exchange(input.has_shape, true)) reader_.Wrong("'shape' stands twice");
    for (reader_.EnterList(); reader_.NextItem();) {
      std::int64_t extent = 0;
      if (reader_.TakeInteger(extent)) input.info.shape.push_back(extent);
      if (input.info.shape.size() > kMostDimensions) reader_.Wrong("too many dimensions");
    }
  }

  void ReadInputParameters(WrittenInput& input) {
    std::string key;
    for (reader_.EnterObject(); reader_.NextKey(key);) {
      if (IsNull()) continue;
      if (key == "binary_data_size") {
        reader_.TakeUnsigned(input.binary_size.emplace());
      } else if (key.starts_with("shared_memory_")) {
        reader_.Wrong("shared memory is not supported");
      } else {
        reader_.Skip();
      }
    }
  }

  void ReadInput(WrittenInput& input) {
    std::string key;
    for (reader_.EnterObject(); reader_.NextKey(key);) {
      if (IsNull()) continue;
      if (key == "name") {
        reader_.TakeText(input.info.name);
      } else if (key == "datatype") {
        reader_.TakeText(input.type.emplace());
      } else if (key == "shape") {
        ReadShape(input);
      } else if (key == "data") {
        input.data_begin = reader_.position();
        reader_.Skip();
        input.data = reader_.TextFrom(*input.data_begin);
      } else if (key == "parameters") {
        ReadInputParameters(input);
      } else {
        reader_.Skip();
      }
    }
  }

  void ReadInputs() {
    for (reader_.EnterList(); reader_.NextItem();) {
      ReadInput(inputs_.emplace_back());
      if (inputs_.size() > kMostTensors) reader_.Wrong("too many inputs");
    }
  }

  void ReadOutputParameters(WantedOutput& output) {
    std::string key;
    for (reader_.EnterObject(); reader_.NextKey(key);) {
      if (IsNull()) continue;
      if (key == "binary_data") {
        bool binary = false;
        reader_.TakeBool(binary);
        output.form = binary ? TensorForm::kBinary : TensorForm::kJson;
      } else if (key == "classification") {
        reader_.TakeUnsigned(output.classes);
      } else if (key.starts_with("shared_memory_")) {
        reader_.Wrong("shared memory is not supported");
      } else {
        reader_.Skip();
      }
    }
  }

  void ReadOutputs() {
    std::string key;
    for (reader_.EnterList(); reader_.NextItem();) {
      WantedOutput& output = request_.outputs.emplace_back();
      if (request_.outputs.size() > kMostTensors) reader_.Wrong("too many outputs");
      for (reader_.EnterObject(); reader_.NextKey(key);) {
        if (IsNull()) continue;
        if (key == "name") {
          reader_.TakeText(output.name);
        } else if (key == "parameters") {
          ReadOutputParameters(output);
        } else {
          reader_.Skip();
        }
      }
      if (output.name.empty()) reader_.Wrong("an output without a name");
    }
  }

  Status AddInput(WrittenInput& input) {
    const std::string& name = input.info.name;
    if (name.empty()) return Fail("an input without a name");
    if (!input.type.has_value()) return Fail("input '{}': 'datatype' is missing", name);
    const auto type = FindTensorType(*input.type);
    if (!type.has_value())
      return Fail("input '{}': unknown datatype '{}'", name, input.type->substr(0, 80));
    input.info.type = *type;
    if (!input.has_shape) return Fail("input '{}': 'shape' is missing", name);
    const auto count = ElementCount(input.info.shape);
    if (!count.has_value()) return Fail("input '{}': its shape has no number of elements", name);
    if (input.binary_size.has_value() == input.data_begin.has_value())
      return Fail("input '{}': exactly one of 'data' and parameters.binary_data_size is needed",
                  name);
    TensorData tensor{.info = std::move(input.info), .data = {}};
    if (input.binary_size.has_value()) {
      RETURN_IF_ERROR(AddBinary(*input.binary_size, *count, tensor));
    } else {
      auto data = TensorFromJson(tensor.info, input.data, *input.data_begin);
      if (!data.has_value()) return Fail("input '{}': {}", tensor.info.name, data.error().message);
      tensor.data = std::move(*data);
    }
    request_.inputs.push_back(std::move(tensor));
    return {};
  }

  Status AddBinary(std::uint64_t size, std::int64_t count, TensorData& tensor) {
    if (size > body_->size() - at_)
      return Fail("input '{}': binary_data_size is {}, but {} bytes follow", tensor.info.name, size,
                  body_->size() - at_);
    const auto* const begin = reinterpret_cast<const std::byte*>(body_->data() + at_);
    tensor.data = {.owner = body_, .bytes = {begin, static_cast<std::size_t>(size)}};
    at_ += static_cast<std::size_t>(size);
    const std::size_t each = ElementBytes(tensor.info.type);
    if (each == 0 && !AreTexts(tensor.data.bytes, count))
      return Fail("input '{}': its bytes are not {} texts with their lengths", tensor.info.name,
                  count);
    if (each > 0 && (size % each != 0 || size / each != static_cast<std::uint64_t>(count)))
      return Fail("input '{}': binary_data_size is {}, but {} elements of {} have {} bytes",
                  tensor.info.name, size, count, ToString(tensor.info.type),
                  each * static_cast<std::uint64_t>(count));
    return {};
  }

  std::shared_ptr<const std::string> body_;
  JsonReader reader_;
  std::size_t at_;  // where the next tensor begins
  std::vector<WrittenInput> inputs_;
  InferRequest request_;
};

// The whole body is the network's only input.
Result<InferRequest> DecodeRaw(const std::shared_ptr<const std::string>& body,
                               std::span<const TensorInfo> network_inputs) {
  if (network_inputs.size() != 1)
    return Fail("a body without a header needs a network with one input; this one has {}",
                network_inputs.size());
  TensorData tensor{.info = network_inputs.front(), .data = {}};
  const auto open = std::ranges::find(tensor.info.shape, -1);
  const std::size_t each = ElementBytes(tensor.info.type);
  if (each == 0) return Fail("a body without a header cannot be BYTES");
  if (open != tensor.info.shape.end()) {
    *open = 1;
    const auto rest = ElementCount(tensor.info.shape);
    if (!rest.has_value() || *rest == 0) return Fail("the network's shape leaves too much open");
    const std::size_t sample = each * static_cast<std::size_t>(*rest);
    if (body->empty() || body->size() % sample != 0)
      return Fail("the body has {} bytes, a sample of the network's input {}", body->size(),
                  sample);
    *open = static_cast<std::int64_t>(body->size() / sample);
  }
  const auto count = ElementCount(tensor.info.shape);
  if (!count.has_value()) return Fail("the network's shape leaves too much open");
  if (body->size() != each * static_cast<std::size_t>(*count))
    return Fail("the body has {} bytes, the network's input {}", body->size(),
                each * static_cast<std::size_t>(*count));
  const auto* const begin = reinterpret_cast<const std::byte*>(body->data());
  tensor.data = {.owner = body, .bytes = {begin, body->size()}};
  InferRequest request;
  request.inputs.push_back(std::move(tensor));
  request.form = TensorForm::kBinary;
  return request;
}

}  // namespace

Result<InferRequest> DecodeInfer(std::shared_ptr<const std::string> body,
                                 std::optional<std::string_view> header_length,
                                 std::span<const TensorInfo> network_inputs) {
  std::size_t json = body->size();
  if (header_length.has_value()) {
    const auto length = ParseInteger(*header_length);
    if (!length.has_value() || *length < 0 || static_cast<std::uint64_t>(*length) > body->size())
      return Fail("{}: '{}' is no number of bytes of a body that has {}", kHeaderLength,
                  header_length->substr(0, 80), body->size());
    if (*length == 0) return DecodeRaw(body, network_inputs);
    json = static_cast<std::size_t>(*length);
  }
  return InferDecoder(std::move(body), json).Decode();
}

}  // namespace fairlead
