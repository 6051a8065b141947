// What CUDA says when something went wrong, as a Status.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <string>
#include <string_view>

#include "fairlead/base/result.h"

namespace fairlead {

// `what` was tried.
Status CudaStatus(cudaError_t error, std::string_view what);
Status CudaStatus(CUresult error, std::string_view what);

// The first line of an exception's message: libtorch appends a stack of calls.
std::string FirstLine(std::string_view message);

}  // namespace fairlead
