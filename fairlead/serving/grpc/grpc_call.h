// What the calls of this room share: who calls, how long it has, what it is told when something is
// wrong, and which thread writes.
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "fairlead/serving/doorkeeper.h"
#include "fairlead/serving/inference.h"
#include "fairlead/serving/memory_budget.h"
#include "fairlead/serving/stall_watch.h"
#include "fairlead/serving/task_thread.h"
#include "proto/inference.pb.h"

namespace fairlead::grpc_room {

// Writes to clients. gRPC writes on the thread that hands it something, so results of accelerators
// go over to threads that have time.
class Writers {
 public:
  explicit Writers(int threads) : threads_(static_cast<std::size_t>(threads)) {}
  // At once where the thread is one that talks to clients.
  void Write(std::function<void()> write) {
    if (talking_ > 0) return write();
    threads_[next_.fetch_add(1, std::memory_order_relaxed) % threads_.size()].Post(
        std::move(write));
  }

  // While it is there its thread is one that talks to clients.
  class Talk {
   public:
    Talk() { ++talking_; }
    ~Talk() { --talking_; }
    Talk(const Talk&) = delete;
    Talk& operator=(const Talk&) = delete;
  };

 private:
  inline static thread_local int talking_ = 0;

  std::deque<TaskThread> threads_;
  std::atomic<std::size_t> next_ = 0;
};

class CallWatch;

struct Room {
  InferenceService& service;
  const Doorkeeper& door;
  Writers& writers;
  MemoryBudget& memory;
  CallWatch& watch;
  const StallWatch* time = nullptr;  // none: calls do not say when they came
  std::int64_t message = 0;          // bytes, at most
  Duration message_time{};           // for one to come
};

inline bool IsReady(const Room& room) {
  return room.door.is_open() && room.service.state() == ServiceState::kReady;
}

// Why a call is not done: the meanings, and words for programs, of HTTP.
struct Refused {
  grpc::StatusCode code = grpc::StatusCode::UNKNOWN;
  std::string reason;
  std::string message;
  std::optional<Duration> retry_after{};
};
Refused NoMemory();
Refused RefusedBy(const InferenceAnswer& answer);
Refused NoSuchNetwork(std::string_view network);
// One that is known, and not loaded, says as little of itself as one that is not known.
Refused NotLoaded(const NetworkInfo& network);
Refused NoSuchVersion(std::string_view network, std::string_view version);
// The status, its reason in the trailing metadata.
grpc::Status Tell(grpc::CallbackServerContext& context, const Refused& refused);

tl::expected<Caller, Refused> Identify(const Room& room,
                                       const grpc::CallbackServerContext& context);
tl::expected<TenantId, Refused> TenantOf(const Room& room, const Caller& caller);

// Until the client's deadline; none where it has none.
std::optional<Duration> TimeLeft(const grpc::CallbackServerContext& context);
// There is one version of each network.
bool IsKnownVersion(std::string_view version);

// Whether a network takes samples in a stack; looked up where the request's answer depends on it.
bool IsStacked(const Room& room, const inference::ModelInferRequest& request);

// The call of a request, complete; the shorter of the client's two times counts.
tl::expected<InferenceCall, Refused> Complete(Result<InferenceCall> call, TenantId tenant,
                                              std::string_view version,
                                              std::optional<Duration> time_left);

}  // namespace fairlead::grpc_room
