// `infer` over HTTP: the first line of the input is the header with the length of the JSON ("-":
// there is none), the rest the body. What was read has as many bytes as its shape, and when it is
// sent back and read once more it is the same.

#include <memory>
#include <string>
#include <utility>

#include "fairlead/base/check.h"
#include "fairlead/serving/http/infer_codec.h"
#include "tests/fuzz/fuzz_input.h"

namespace fairlead {
namespace {

const TensorInfo kRawInput{.name = "x", .type = TensorType::kUint8, .shape = {-1, 3}};

Result<InferRequest> Decode(std::string body, std::optional<std::string_view> length) {
  return DecodeInfer(std::make_shared<const std::string>(std::move(body)), length, {&kRawInput, 1});
}

// The reply of a network that returns what it is given, as a request.
Result<InferRequest> Echoed(const InferRequest& request, TensorForm form) {
  InferenceAnswer answer;
  answer.outputs = request.inputs;
  InferRequest wish;
  wish.id = request.id;
  wish.form = form;
  ASSIGN_OR_RETURN(const HttpReply reply, EncodeInfer(wish, "echo", answer));
  std::string body = reply.body;
  const std::string_view outputs = "\"outputs\":[";
  body.replace(body.find(outputs), outputs.size(), " \"inputs\":[");
  const std::string length = std::to_string(body.size());
  for (const SharedBytes& piece : reply.tail)
    body.append(reinterpret_cast<const char*>(piece.bytes.data()), piece.bytes.size());
  auto again = Decode(body, length);
  CHECK_MSG(again.has_value(), again.error().message);
  return again;
}

void CheckSame(const InferRequest& one, const InferRequest& other) {
  CHECK(one.id == other.id && one.inputs.size() == other.inputs.size());
  for (std::size_t i = 0; i < one.inputs.size(); ++i) {
    CHECK(one.inputs[i].info == other.inputs[i].info);
    CHECK(std::ranges::equal(one.inputs[i].data.bytes, other.inputs[i].data.bytes));
  }
}

// Whatever there is has its highest elements.
void CheckClasses(const InferRequest& request) {
  InferenceAnswer answer;
  answer.outputs = request.inputs;
  InferRequest wish;
  wish.form = TensorForm::kBinary;
  wish.stacked = request.inputs.size() % 2 == 0;
  for (const TensorData& input : request.inputs)
    wish.outputs.push_back({.name = input.info.name, .form = std::nullopt, .classes = 2});
  CHECK(EncodeInfer(wish, "echo", answer).has_value());
}

bool HasTexts(const InferRequest& request) {
  return std::ranges::any_of(request.inputs, [](const TensorData& tensor) {
    return tensor.info.type == TensorType::kBytes || tensor.info.type == TensorType::kBool;
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(TextOf(data, size));
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string length = text.substr(0, end);
  const std::string body = text.substr(std::min(end + 1, text.size()));
  const auto request =
      Decode(body, length == "-" ? std::optional<std::string_view>() : std::string_view(length));
  if (!request.has_value()) {
    CHECK(!request.error().message.empty());
    return 0;
  }
  for (const TensorData& tensor : request->inputs) {
    const auto count = ElementCount(tensor.info.shape);
    const std::size_t each = ElementBytes(tensor.info.type);
    CHECK(count.has_value());
    CHECK(each == 0 || tensor.data.bytes.size() == each * static_cast<std::size_t>(*count));
  }
  CheckClasses(*request);
  const auto binary = Echoed(*request, TensorForm::kBinary);
  CHECK(binary.has_value());
  CheckSame(*request, *binary);
  // Texts and flags that came as bytes may be none that JSON knows.
  const auto json = Echoed(*request, TensorForm::kJson);
  if (json.has_value() && !HasTexts(*request)) CheckSame(*request, *json);
  return 0;
}

}  // namespace fairlead
