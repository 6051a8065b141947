// What clients ask of a live world, and what it answers: all that the wire (HTTP, gRPC) knows of
// it.
//
// All methods may be called from any thread, and none of them waits for work, for a disk or for a
// client. Answers and replies are called once each, by the thread that has the news, which may be
// the caller's, before the call returns: they must not block, and may call the service.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/histogram.h"
#include "fairlead/base/id.h"
#include "fairlead/base/result.h"
#include "fairlead/base/time.h"
#include "fairlead/domain/tenant.h"
#include "fairlead/fairness/agreement_history.h"
#include "fairlead/scheduling/engine.h"
#include "fairlead/serving/client_change.h"
#include "fairlead/serving/tensor.h"

namespace fairlead {

// How a call ended.
enum class InferenceCode : std::uint8_t {
  kOk,
  kMalformed,            // a tensor that the network cannot take, or none that it needs
  kNoNetwork,            // no network of that name, or it is not loaded
  kNoAgreement,          // the tenant has none on this network
  kOverContract,         // and the contract says: refuse
  kNoCapacity,           // refused for overload, or nothing is there that could run it
  kDraining,             // nothing new is taken
  kDeadlineUnreachable,  // even alone, or as things stand, it would come too late
  kDeadlinePassed,
  kCancelled,
  kFailed,  // its segments failed too often
};

// By InferenceCode; for programs.
inline constexpr std::array<std::string_view, 11> kInferenceCodeNames = {
    "ok",          "malformed", "no-network",           "no-agreement",    "over-contract",
    "no-capacity", "draining",  "deadline-unreachable", "deadline-passed", "cancelled",
    "failed"};

constexpr std::string_view ToString(InferenceCode code) {
  return kInferenceCodeNames[static_cast<std::size_t>(code)];
}

// Calls may ask for no more time than this.
inline constexpr Duration kLongestTimeout = std::chrono::hours{24};

// A call may bring so many samples, one after the other in each of its inputs.
inline constexpr std::size_t kMostSamples = 1024;

struct InferenceCall {
  TenantId tenant;
  std::string network;
  std::vector<TensorData> inputs;
  std::vector<std::string> outputs;  // by name; none: all
  // From `received` on; the agreement's deadline where that is shorter, or where there is none
  // here.
  std::optional<Duration> timeout;
  std::optional<int> priority;  // 1 where there is none
  // When its first byte came, by the service's clock; none: now. Its deadline counts from there.
  std::optional<Instant> received{};
};

struct InferenceAnswer {
  InferenceCode code = InferenceCode::kOk;
  std::string message;                  // for people; empty where all is well
  std::optional<Duration> retry_after;  // when another try may be of use
  std::vector<TensorData> outputs;      // in the order of the wish, or of the network
  Duration queued{};                    // from Submit to its first start
  Duration executed{};                  // from there to its end
};

using AnswerReply = std::function<void(InferenceAnswer)>;
using StatusReply = std::function<void(const Status&)>;

// A call that was submitted. 0 is none.
using Ticket = std::uint64_t;

enum class ServiceState : std::uint8_t { kStarting, kReady, kDraining, kStopped };

// A network that is to be loaded.
struct NetworkOrder {
  std::string name;
  // Its file (ONNX), where the caller brings it; else that of a network that is known, or the one
  // of the name where networks are kept.
  std::optional<std::string> file{};
};

struct NetworkInfo {
  NetworkId id;
  std::string name;
  std::vector<TensorInfo> inputs;
  std::vector<TensorInfo> outputs;
  bool ready = false;
  std::string reason;  // why it is not ready; else empty
};

// What configurations call the largest batch; 0: no more than one sample is spoken of.
std::size_t MostBatch(const NetworkInfo& network);

struct NetworkStatistics {
  // What came of its calls, by InferenceCode; and of those that ended well, in nanoseconds:
  std::array<std::uint64_t, kInferenceCodeNames.size()> ended{};
  std::uint64_t queued_ns = 0;
  std::uint64_t executed_ns = 0;
  Histogram queued;
  Histogram executed;
  std::int64_t last_ms = 0;  // when the last of all ended, since 1970; 0: there was none
  // Of its segments: how long they were believed to run alone, and how long they ran.
  std::uint64_t segments = 0;
  std::uint64_t believed_ns = 0;
  std::uint64_t measured_ns = 0;
  // How often it ran to its end for so many samples at once, and for how long in all.
  struct Batch {
    std::uint64_t executions = 0;
    std::uint64_t ns = 0;
  };
  std::map<int, Batch> batches{};
};

// Of all sizes of batches.
inline std::uint64_t ExecutionsOf(const NetworkStatistics& statistics) {
  std::uint64_t executions = 0;
  for (const auto& [size, batch] : statistics.batches) executions += batch.executions;
  return executions;
}

struct AgreementReport {
  AgreementId id;
  std::string_view tenant;   // valid during the visit
  std::string_view network;  // likewise
  const ServiceAgreement* promise = nullptr;
  bool open = true;
  OutcomeCounts lifetime;  // of covered requests, since it began
  OutcomeCounts uncovered;
  double indicator = 0;  // the share of hits in the current period of the promise
  double worst_window = 0;
  std::int64_t violations = 0;  // of its window
  bool sacrificed = false;
  bool under_way = false;    // some of its requests
  AgreementHistory history;  // as if what is under way had not arrived
};

struct AcceleratorReport {
  std::string name;
  std::string kind;
  bool online = true;
  double busy_s = 0;  // so far
};

struct ServiceReport {
  ServiceState state = ServiceState::kStarting;
  std::string policy;
  std::uint64_t under_way = 0;  // calls that have not been answered
  EngineCounters engine;
  GuardBooks guard;
  Histogram decision_times;  // in nanoseconds
  std::vector<AcceleratorReport> accelerators;
  Duration time{};  // since it began
};

class InferenceService {
 public:
  virtual ~InferenceService() = default;

  virtual ServiceState state() const = 0;

  // The answer comes by the reply, with a code for everything that goes wrong; by the deadline, if
  // it is nothing else by then. The ticket is good for Cancel until then; 0: it has been answered.
  virtual Ticket Submit(InferenceCall call, AnswerReply reply) = 0;
  // What a call would be answered whatever it brings; none: it may come. For those who want to know
  // before they read it. One that its contract refuses is counted as if it had come.
  virtual std::optional<InferenceAnswer> RefuseEarly(TenantId tenant, std::string_view network) = 0;
  // Its client is gone, or does not want it any more: it is answered with kCancelled before this
  // returns, and what runs of it stops within a layer. Nothing where it has been answered.
  virtual void Cancel(Ticket ticket) = 0;

  // Networks that are known, in order of their ids. Those that are not loaded are not ready.
  virtual std::vector<NetworkInfo> Networks() const = 0;
  virtual std::optional<NetworkInfo> FindNetwork(std::string_view name) const = 0;
  virtual bool NetworkReady(std::string_view name) const = 0;
  virtual NetworkStatistics StatisticsOf(NetworkId network) const = 0;  // of a known one
  // Names of networks that are not known, and could be loaded. May look at the disk.
  virtual std::vector<std::string> Loadable() const = 0;
  // Whether one of this name could be loaded without its file; more than those above may be.
  virtual bool CanLoad(const std::string& name) const = 0;
  // Answered when it is done, or could not be done; what waits for a network that is unloaded ends.
  // One that is not known becomes known; one that is loaded stays as it is, unless a file comes
  // with it, which is refused.
  virtual void LoadNetwork(NetworkOrder order, StatusReply reply) = 0;
  virtual void UnloadNetwork(std::string name, StatusReply reply) = 0;

  // Tenants, agreements, accelerators, the policy, the guard: checked, and recorded.
  virtual void Change(ClientChange change, InputReply reply) = 0;
  virtual std::optional<TenantId> FindTenant(std::string_view name) const = 0;
  virtual std::optional<AgreementId> FindAgreement(TenantId tenant,
                                                   std::string_view network) const = 0;
  // All agreements, in order of their ids; the engine goes on between them.
  virtual void VisitAgreements(const std::function<void(const AgreementReport&)>& visit) const = 0;

  virtual ServiceReport Report() const = 0;

  // Takes nothing more, and serves what was taken, for no longer than the limit: what is left then
  // is cancelled. Returns at once.
  virtual void Drain(Duration limit) = 0;
};

}  // namespace fairlead
