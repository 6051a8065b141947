#include "fairlead/serving/grpc/description_messages.h"

#include <numeric>

namespace fairlead {
namespace {

void WriteTensor(const TensorInfo& tensor,
                 inference::ModelMetadataResponse::TensorMetadata& message) {
  message.set_name(tensor.name);
  message.set_datatype(std::string(ToString(tensor.type)));
  message.mutable_shape()->Add(tensor.shape.begin(), tensor.shape.end());
}

inference::DataType DataTypeOf(TensorType type) {
  switch (type) {
    case TensorType::kBool: return inference::TYPE_BOOL;
    case TensorType::kUint8: return inference::TYPE_UINT8;
    case TensorType::kUint16: return inference::TYPE_UINT16;
    case TensorType::kUint32: return inference::TYPE_UINT32;
    case TensorType::kUint64: return inference::TYPE_UINT64;
    case TensorType::kInt8: return inference::TYPE_INT8;
    case TensorType::kInt16: return inference::TYPE_INT16;
    case TensorType::kInt32: return inference::TYPE_INT32;
    case TensorType::kInt64: return inference::TYPE_INT64;
    case TensorType::kFp16: return inference::TYPE_FP16;
    case TensorType::kBf16: return inference::TYPE_BF16;
    case TensorType::kFp32: return inference::TYPE_FP32;
    case TensorType::kFp64: return inference::TYPE_FP64;
    case TensorType::kBytes: return inference::TYPE_STRING;
  }
  return inference::TYPE_INVALID;
}

template <typename Message>
void WriteTensorConfig(const TensorInfo& tensor, Message& message) {
  message.set_name(tensor.name);
  message.set_data_type(DataTypeOf(tensor.type));
  const std::vector<std::int64_t> dims = ConfigShape(tensor);
  message.mutable_dims()->Add(dims.begin(), dims.end());
}

void Write(std::uint64_t count, std::uint64_t ns, inference::StatisticDuration& message) {
  message.set_count(count);
  message.set_ns(ns);
}

}  // namespace

void WriteServer(inference::ServerMetadataResponse& message) {
  message.set_name("fairlead");
  message.set_version(FAIRLEAD_VERSION);
  for (const char* extension : {"classification", "model_configuration", "model_repository",
                                "schedule_policy", "statistics"})
    message.add_extensions(extension);
}

void WriteNetwork(const NetworkInfo& network, inference::ModelMetadataResponse& message) {
  message.set_name(network.name);
  message.add_versions("1");
  message.set_platform("fairlead");
  for (const TensorInfo& tensor : network.inputs) WriteTensor(tensor, *message.add_inputs());
  for (const TensorInfo& tensor : network.outputs) WriteTensor(tensor, *message.add_outputs());
}

void WriteConfig(const NetworkInfo& network, inference::ModelConfig& message) {
  message.set_name(network.name);
  message.set_platform("fairlead");
  message.set_backend("fairlead");
  message.set_max_batch_size(static_cast<std::int32_t>(MostBatch(network)));
  message.mutable_version_policy()->mutable_latest()->set_num_versions(1);
  for (const TensorInfo& tensor : network.inputs) {
    inference::ModelInput& input = *message.add_input();
    WriteTensorConfig(tensor, input);
    if (IsPicture(tensor)) input.set_format(inference::ModelInput::FORMAT_NCHW);
  }
  for (const TensorInfo& tensor : network.outputs) WriteTensorConfig(tensor, *message.add_output());
}

// Inputs and outputs are read and written as part of the execution.
void WriteStatistics(const NetworkInfo& network, const NetworkStatistics& statistics,
                     inference::ModelStatistics& message) {
  const std::uint64_t good = statistics.ended.front();
  const std::uint64_t all =
      std::accumulate(statistics.ended.begin(), statistics.ended.end(), std::uint64_t{0});
  message.set_name(network.name);
  message.set_version("1");
  message.set_last_inference(static_cast<std::uint64_t>(statistics.last_ms));
  message.set_inference_count(good);
  message.set_execution_count(ExecutionsOf(statistics));
  inference::InferStatistics& times = *message.mutable_inference_stats();
  Write(good, statistics.queued_ns + statistics.executed_ns, *times.mutable_success());
  Write(all - good, 0, *times.mutable_fail());
  Write(good, statistics.queued_ns, *times.mutable_queue());
  Write(good, 0, *times.mutable_compute_input());
  Write(good, statistics.executed_ns, *times.mutable_compute_infer());
  Write(good, 0, *times.mutable_compute_output());
  Write(0, 0, *times.mutable_cache_hit());
  Write(0, 0, *times.mutable_cache_miss());
  for (const auto& [size, batch] : statistics.batches) {
    inference::InferBatchStatistics& one = *message.add_batch_stats();
    one.set_batch_size(static_cast<std::uint64_t>(size));
    Write(batch.executions, 0, *one.mutable_compute_input());
    Write(batch.executions, batch.ns, *one.mutable_compute_infer());
    Write(batch.executions, 0, *one.mutable_compute_output());
  }
}

void WriteIndex(const NetworkInfo& network,
                inference::RepositoryIndexResponse::ModelIndex& message) {
  message.set_name(network.name);
  message.set_version("1");
  message.set_state(network.ready ? "READY" : "UNAVAILABLE");
  message.set_reason(network.reason);
}

}  // namespace fairlead
