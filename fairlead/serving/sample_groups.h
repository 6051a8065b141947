// Calls with several samples: as many requests of one sample each, and one answer.
//
// A client may send several samples in one call, stacked along the first dimension of every input.
// The engine knows requests of one sample, which a policy may batch or spread as it likes, so such
// a call is taken apart, without copying, and its results are put together again. It is answered
// when its last sample has been, or as soon as one fails: the others are cancelled then.
//
// All methods may be called from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "fairlead/serving/inference.h"

namespace fairlead {

// Tickets of such calls have this bit, and no others.
inline constexpr Ticket kGroupTicket = Ticket{1} << 63;

// How many samples the call brings: more than 1 only where every input of the network is there with
// as many, and all else fits.
std::size_t SamplesOf(const NetworkInfo& network, const InferenceCall& call);

class SampleGroups {
 public:
  // Takes and cancels the single samples. Not owned.
  explicit SampleGroups(InferenceService& service) : service_(service) {}

  Ticket Submit(const InferenceCall& call, std::size_t samples, AnswerReply reply);
  void Cancel(Ticket ticket);

 private:
  class Group;
  void Forget(Ticket ticket);

  InferenceService& service_;
  std::mutex mutex_;  // guards all below
  Ticket last_ = kGroupTicket;
  std::unordered_map<Ticket, std::shared_ptr<Group>> groups_;
};

}  // namespace fairlead
