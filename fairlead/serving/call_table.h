// The calls that are under way: what they brought, what came out, and who waits for it.
//
// A call has a slot from Submit until its job has ended, or until it turned out that it has none.
// It is answered once; it may be answered before its job ends. Slots are used again, and a ticket
// tells the calls of a slot apart. Nothing grows with the calls that were, only with those that are
// under way at once.
//
// All methods may be called from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "fairlead/scheduling/job.h"
#include "fairlead/serving/inference.h"
#include "fairlead/serving/service_index.h"

namespace fairlead {

struct CallInput {
  TensorType type = TensorType::kFp32;
  SharedBytes data;
};

// A call that has its place in the world.
struct OpenCall {
  AnswerReply reply;  // empty: it has been answered
  SharedNetworkInfo network;
  std::vector<CallInput> inputs;    // in the order of the network
  std::vector<std::size_t> wanted;  // outputs
  std::vector<TensorData> outputs;  // in the order of the network, once they are there
  JobHandle job;                    // serial 0: not known yet
  bool cancelled = false;
  bool refused = false;  // before it was read: it is there to be counted
};

class CallTable {
 public:
  Ticket Open(OpenCall call);

  // Its job is known now. False if it was cancelled meanwhile.
  bool Enter(Ticket ticket, const JobHandle& job);
  bool IsCancelled(Ticket ticket) const;
  bool IsRefused(Ticket ticket) const;
  // Takes the reply of a call that has not been answered, and lets it be cancelled. The job is the
  // one to be cancelled, if it is known.
  struct Cancelled {
    AnswerReply reply;
    SharedNetworkInfo network;
    std::optional<JobHandle> job;
  };
  std::optional<Cancelled> Cancel(Ticket ticket);
  // Ends a call, and frees its slot; none where it has ended. The reply in it may be empty.
  std::optional<OpenCall> Close(Ticket ticket);
  // All that are left.
  std::vector<Ticket> Tickets() const;

  // What a job's thread needs of it; nothing where its call has ended.
  std::optional<CallInput> InputOf(const JobHandle& job, std::size_t index) const;
  void SetOutput(const JobHandle& job, std::size_t index, std::span<const float> numbers);

  std::size_t size() const;   // calls that are under way
  std::size_t slots() const;  // that were ever needed at once

 private:
  static constexpr std::uint32_t kLastGeneration = 0x7FFFFFFF;

  struct Slot {
    std::uint32_t generation = 1;
    bool open = false;
    OpenCall call;
  };

  static Ticket TicketOf(std::size_t slot, std::uint32_t generation) {
    return static_cast<Ticket>(generation) << 32 | slot;
  }
  // With the lock; null where the call has ended.
  const Slot* Find(Ticket ticket) const;
  Slot* Find(Ticket ticket) { return const_cast<Slot*>(std::as_const(*this).Find(ticket)); }
  const Slot* FindByJob(const JobHandle& job) const;

  mutable std::mutex mutex_;  // guards all below
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  std::vector<Ticket> by_job_;  // by the job's slot
};

}  // namespace fairlead
