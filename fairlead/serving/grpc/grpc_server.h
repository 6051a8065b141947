// The other front door: the Open Inference Protocol over gRPC, in the clear or over TLS.
//
// gRPC's own threads read and parse; what comes from elsewhere (an accelerator that has a result)
// is written by a few threads of ours, so that nobody else waits for a socket. A call that is
// cancelled, or whose client is gone, is cancelled in the service.
//
// Nothing of gRPC is seen outside of this folder.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "fairlead/base/result.h"
#include "fairlead/base/time.h"
#include "fairlead/serving/doorkeeper.h"
#include "fairlead/serving/inference.h"
#include "fairlead/serving/memory_budget.h"
#include "fairlead/serving/stall_watch.h"
#include "fairlead/serving/tls_files.h"

namespace fairlead {

struct GrpcLimits {
  std::int64_t message = std::int64_t{64} << 20;  // bytes
  int metadata = 16 << 10;                        // bytes
  int connections = 4096;
  int per_address = 1024;
  Duration message_time = std::chrono::seconds{60};
  Duration set_up_time = std::chrono::seconds{10};
  Duration idle_time = std::chrono::seconds{75};  // without a call; also between signs of life
};

struct GrpcOptions {
  std::string address = "127.0.0.1";
  int port = 0;     // 0: any that is free
  int threads = 2;  // that write
  GrpcLimits limits;
  std::optional<TlsFiles> tls;
  bool reflection = true;            // anybody may ask which methods there are
  MemoryBudget* memory = nullptr;    // not owned; none: one of its own
  const StallWatch* time = nullptr;  // not owned; none: calls do not say when they came
};

class GrpcServer {
 public:
  // Listens when it returns. Both must outlive it.
  static Result<std::unique_ptr<GrpcServer>> Start(const GrpcOptions& options,
                                                   InferenceService& service,
                                                   const Doorkeeper& door);
  virtual ~GrpcServer() = default;  // closes at once

  virtual int port() const = 0;
  // Takes no more calls; what has been asked is answered, within `grace`. Once.
  virtual void Close(Duration grace) = 0;
};

}  // namespace fairlead
