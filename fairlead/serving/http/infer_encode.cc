#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <iterator>

#include "fairlead/serving/classification.h"
#include "fairlead/serving/http/infer_codec.h"
#include "fairlead/serving/http/json_tensor.h"

namespace fairlead {
namespace {

// How an output is wanted; none: as the request says of all.
const WantedOutput* FindWish(const InferRequest& request, std::string_view output) {
  const auto wanted = std::ranges::find(request.outputs, output, &WantedOutput::name);
  return wanted == request.outputs.end() ? nullptr : &*wanted;
}

int StatusOf(InferenceCode code) {
  switch (code) {
    case InferenceCode::kOk: return 200;
    case InferenceCode::kMalformed: return 400;
    case InferenceCode::kNoNetwork:
    case InferenceCode::kNoAgreement: return 404;
    case InferenceCode::kOverContract: return 429;
    case InferenceCode::kNoCapacity:
    case InferenceCode::kDraining: return 503;
    case InferenceCode::kDeadlineUnreachable:
    case InferenceCode::kDeadlinePassed: return 504;
    case InferenceCode::kCancelled: return 499;
    case InferenceCode::kFailed: break;
  }
  return 500;
}

}  // namespace

Result<HttpReply> EncodeInfer(const InferRequest& request, std::string_view network,
                              const InferenceAnswer& answer) {
  HttpReply reply;
  std::string& json = reply.body;
  auto out = std::back_inserter(json);
  fmt::format_to(out, R"({{"model_name":{},"model_version":"1")", JsonText(network));
  if (request.id.has_value()) fmt::format_to(out, R"(,"id":{})", JsonText(*request.id));
  json += R"(,"outputs":[)";
  bool first = true;
  for (const TensorData& whole : answer.outputs) {
    const WantedOutput* const wish = FindWish(request, whole.info.name);
    std::optional<TensorData> classes;
    if (wish != nullptr && wish->classes > 0)
      classes = HighestOf(whole, wish->classes, request.stacked);
    const TensorData& output = classes.has_value() ? *classes : whole;
    const TensorForm form = wish == nullptr ? request.form : wish->form.value_or(request.form);
    fmt::format_to(out, R"({}{{"name":{},"datatype":"{}","shape":[{}],)",
                   std::exchange(first, false) ? "" : ",", JsonText(output.info.name),
                   ToString(output.info.type), fmt::join(output.info.shape, ","));
    if (form == TensorForm::kBinary) {
      fmt::format_to(out, R"("parameters":{{"binary_data_size":{}}}}})", output.data.bytes.size());
      reply.tail.push_back(output.data);
    } else {
      json += R"("data":)";
      RETURN_IF_ERROR(AppendTensorJson(output, json));
      json += '}';
    }
  }
  json += "]}";
  if (!reply.tail.empty()) {
    reply.content_type = "application/octet-stream";
    reply.headers.push_back({std::string(kHeaderLength), std::to_string(json.size())});
  }
  return reply;
}

HttpReply EncodeFailure(const InferenceAnswer& answer) {
  HttpReply reply = HttpError(StatusOf(answer.code), ToString(answer.code), answer.message);
  if (answer.retry_after.has_value()) {
    const auto after = std::max(*answer.retry_after, Duration::zero());
    const auto seconds =
        std::max<std::int64_t>(std::chrono::ceil<std::chrono::seconds>(after).count(), 1);
    reply.headers.push_back({"Retry-After", std::to_string(seconds)});
    const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(after).count();
    reply.headers.push_back({"Retry-After-Ms", std::to_string(milliseconds)});
  }
  return reply;
}

}  // namespace fairlead
