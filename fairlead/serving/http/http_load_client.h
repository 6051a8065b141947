// Load over HTTP: the Open Inference Protocol with tensors in binary form.
#pragma once

#include <memory>

#include "fairlead/base/result.h"
#include "fairlead/serving/http/http_caller.h"
#include "fairlead/serving/load_client.h"

namespace fairlead {

Result<std::unique_ptr<LoadClient>> StartHttpLoad(const HttpCallerOptions& options);

}  // namespace fairlead
