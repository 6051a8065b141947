#include "fairlead/execution/cuda/cuda_check.h"

namespace fairlead {

Status CudaStatus(cudaError_t error, std::string_view what) {
  if (error == cudaSuccess) return {};
  return Fail("CUDA: {}: {} ({})", what, cudaGetErrorString(error), cudaGetErrorName(error));
}

Status CudaStatus(CUresult error, std::string_view what) {
  if (error == CUDA_SUCCESS) return {};
  const char* name = nullptr;
  const char* text = nullptr;
  cuGetErrorName(error, &name);
  cuGetErrorString(error, &text);
  return Fail("CUDA: {}: {} ({})", what, text != nullptr ? text : "unknown error",
              name != nullptr ? name : fmt::format("{}", static_cast<int>(error)));
}

std::string FirstLine(std::string_view message) {
  return std::string(message.substr(0, message.find('\n')));
}

}  // namespace fairlead
