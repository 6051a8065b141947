// What happened: the changes that a policy may observe, one at a time, before it is asked.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fairlead/base/id.h"
#include "fairlead/domain/request.h"
#include "fairlead/scheduling/assignment.h"

namespace fairlead {

enum class EventKind : std::uint8_t {
  kJobArrived,         // job
  kJobCancelled,       // job; kJobFinished follows
  kSegmentStarted,     // assignment, accelerator
  kSegmentFinished,    // assignment, accelerator
  kSegmentFailed,      // assignment, accelerator; its segments are ready again
  kAcceleratorJoined,  // accelerator
  kAcceleratorLeft,    // accelerator
  kTenantJoined,       // tenant
  kTenantLeft,         // tenant
  kAgreementChanged,   // agreement: added, altered or closed
  kPolicyChanged,      // the observer has just taken over
  kWakeUp,             // a wake-up that a plan asked for is due
  kJobFinished,        // job, outcome: hit, miss, drop or reject
};

struct Event {
  EventKind kind;
  JobId job{};
  AssignmentId assignment{};
  AcceleratorId accelerator{};
  TenantId tenant{};
  AgreementId agreement{};
  Outcome outcome{};
};

// Why a job was given up.
enum class Reason : std::uint8_t {
  kNone,       // it was not
  kHopeless,   // it can no longer make its deadline
  kLate,       // its deadline has passed, and the scenario drops late jobs
  kCancelled,  // its client went away
  kFailed,     // its segments failed too often
  kOverload,   // admission control
  kUncovered,  // beyond a contract that refuses what it does not cover
};

// By Reason.
inline constexpr std::array<std::string_view, 7> kReasonNames = {
    "none", "hopeless", "late", "cancelled", "failed", "overload", "uncovered"};

constexpr std::string_view ToString(Reason reason) {
  return kReasonNames[static_cast<std::size_t>(reason)];
}

}  // namespace fairlead
