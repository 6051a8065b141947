#include "fairlead/serving/http/protocol_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>

#include "fairlead/serving/http/http_message.h"

namespace fairlead {
namespace {

std::string TensorsJson(std::span<const TensorInfo> tensors) {
  std::string json;
  for (const TensorInfo& tensor : tensors) {
    json += fmt::format(R"({}{{"name":{},"datatype":"{}","shape":[{}]}})", json.empty() ? "" : ",",
                        JsonText(tensor.name), ToString(tensor.type), fmt::join(tensor.shape, ","));
  }
  return "[" + json + "]";
}

std::string TensorConfigsJson(std::span<const TensorInfo> tensors, bool inputs) {
  std::string json;
  for (const TensorInfo& tensor : tensors) {
    const std::string_view type =
        tensor.type == TensorType::kBytes ? "STRING" : ToString(tensor.type);
    json += fmt::format(R"({}{{"name":{},"data_type":"TYPE_{}",{}"dims":[{}]}})",
                        json.empty() ? "" : ",", JsonText(tensor.name), type,
                        inputs && IsPicture(tensor) ? R"("format":"FORMAT_NCHW",)" : "",
                        fmt::join(ConfigShape(tensor), ","));
  }
  return "[" + json + "]";
}

std::string DurationJson(std::uint64_t count, std::uint64_t ns) {
  return fmt::format(R"({{"count":{},"ns":{}}})", count, ns);
}

}  // namespace

std::string ServerJson() {
  return R"({"name":"fairlead","version":")" FAIRLEAD_VERSION
         R"(","extensions":["binary_tensor_data","classification","model_configuration",)"
         R"("model_repository","schedule_policy","statistics"]})";
}

std::string NetworkJson(const NetworkInfo& network) {
  return fmt::format(
      R"({{"name":{},"versions":["1"],"platform":"fairlead","inputs":{},"outputs":{}}})",
      JsonText(network.name), TensorsJson(network.inputs), TensorsJson(network.outputs));
}

std::string NetworkConfigJson(const NetworkInfo& network) {
  return fmt::format(
      R"({{"name":{},"platform":"fairlead","backend":"fairlead","max_batch_size":{},)"
      R"("version_policy":{{"latest":{{"num_versions":1}}}},"input":{},"output":{}}})",
      JsonText(network.name), MostBatch(network), TensorConfigsJson(network.inputs, true),
      TensorConfigsJson(network.outputs, false));
}

std::string IndexJson(std::span<const NetworkInfo> networks, bool ready_only) {
  std::string json;
  for (const NetworkInfo& network : networks) {
    if (ready_only && !network.ready) continue;
    json += fmt::format(R"({}{{"name":{},"version":"1","state":"{}","reason":{}}})",
                        json.empty() ? "" : ",", JsonText(network.name),
                        network.ready ? "READY" : "UNAVAILABLE", JsonText(network.reason));
  }
  return "[" + json + "]";
}

std::string BatchesJson(const NetworkStatistics& statistics) {
  std::string json;
  for (const auto& [size, batch] : statistics.batches) {
    json += fmt::format(
        R"({}{{"batch_size":{},"compute_input":{},"compute_infer":{},"compute_output":{}}})",
        json.empty() ? "" : ",", size, DurationJson(batch.executions, 0),
        DurationJson(batch.executions, batch.ns), DurationJson(batch.executions, 0));
  }
  return "[" + json + "]";
}

// Inputs and outputs are read and written as part of the execution.
std::string StatisticsJson(const NetworkInfo& network, const NetworkStatistics& statistics) {
  const std::uint64_t good = statistics.ended.front();
  const std::uint64_t all =
      std::accumulate(statistics.ended.begin(), statistics.ended.end(), std::uint64_t{0});
  return fmt::format(
      R"({{"name":{},"version":"1","last_inference":{},"inference_count":{},"execution_count":{},)"
      R"("inference_stats":{{"success":{},"fail":{},"queue":{},"compute_input":{},)"
      R"("compute_infer":{},"compute_output":{},"cache_hit":{},"cache_miss":{}}},)"
      R"("batch_stats":{}}})",
      JsonText(network.name), statistics.last_ms, good, ExecutionsOf(statistics),
      DurationJson(good, statistics.queued_ns + statistics.executed_ns),
      DurationJson(all - good, 0), DurationJson(good, statistics.queued_ns), DurationJson(good, 0),
      DurationJson(good, statistics.executed_ns), DurationJson(good, 0), DurationJson(0, 0),
      DurationJson(0, 0), BatchesJson(statistics));
}

}  // namespace fairlead
