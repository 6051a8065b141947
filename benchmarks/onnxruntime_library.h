// ONNX Runtime as a shared library that is there or not when the benchmark runs: loaded by its
// path, called through the table of functions that its C interface hands out. Nothing of it is
// needed to build.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fairlead/base/result.h"

namespace fairlead {

struct OnnxRuntimeTable;

// The dimensions of one input or output, the batch among them.
using PeerDims = std::vector<std::int64_t>;

// One network, with memory of ours for its inputs and outputs: a run allocates neither.
class OnnxRuntimeSession {
 public:
  ~OnnxRuntimeSession();
  OnnxRuntimeSession(const OnnxRuntimeSession&) = delete;
  OnnxRuntimeSession& operator=(const OnnxRuntimeSession&) = delete;

  std::span<float> Input(std::size_t index) { return inputs_[index].numbers; }
  std::span<const float> Output(std::size_t index) const { return outputs_[index].numbers; }

  Status Run();

 private:
  friend class OnnxRuntime;
  struct Tensor {
    std::string name;
    std::vector<float> numbers;
  };
  explicit OnnxRuntimeSession(const OnnxRuntimeTable& table) : table_(table) {}
  Status AddTensors(bool outputs, const std::vector<PeerDims>& dims);

  const OnnxRuntimeTable& table_;
  void* session_ = nullptr;
  void* memory_ = nullptr;
  std::vector<Tensor> inputs_;
  std::vector<Tensor> outputs_;
  std::vector<const char*> input_names_;
  std::vector<const char*> output_names_;
  std::vector<void*> input_values_;
  std::vector<void*> output_values_;
};

struct OnnxRuntimeOptions {
  int threads = 1;  // within an operator; operators run one after the other
};

class OnnxRuntime {
 public:
  static Result<std::unique_ptr<OnnxRuntime>> Load(const std::string& path);
  ~OnnxRuntime();  // after its sessions
  OnnxRuntime(const OnnxRuntime&) = delete;
  OnnxRuntime& operator=(const OnnxRuntime&) = delete;

  const std::string& version() const { return version_; }

  // All graph optimizations, sequential execution, all else as it comes (threads of its own spin
  // for work). Inputs and outputs in the order of the file, all of 32-bit floats.
  Result<std::unique_ptr<OnnxRuntimeSession>> Open(const std::string& file,
                                                   const std::vector<PeerDims>& inputs,
                                                   const std::vector<PeerDims>& outputs,
                                                   const OnnxRuntimeOptions& options);

 private:
  OnnxRuntime(const OnnxRuntimeTable& table, std::string version)
      : table_(table), version_(std::move(version)) {}
  Result<void*> MakeOptions(const OnnxRuntimeOptions& options) const;

  const OnnxRuntimeTable& table_;
  std::string version_;
  void* environment_ = nullptr;
};

}  // namespace fairlead
