// A job: one admitted request, from its arrival to its end.
#pragma once

#include <cstdint>

#include "fairlead/base/id.h"
#include "fairlead/base/time.h"
#include "fairlead/domain/request.h"

namespace fairlead {

// What the engine knows of a job. Slots are reused: `serial` tells the tenants of a slot apart,
// and grows in order of arrival.
struct Job {
  std::uint64_t serial = 0;
  RequestNumber request = 0;
  AgreementId agreement;
  std::uint64_t arrival_number = 0;  // among the covered ones of its agreement: the ledger's
  TenantId tenant;
  NetworkId network;
  Instant arrival{};
  Instant deadline{};            // absolute
  Instant first_start = kNever;  // of its first segment
  Instant last_progress{};       // when its last segment ended; its arrival before that
  Duration work_left{};          // of segments not finished, each where it is believed fastest
  int priority = 1;
  std::uint32_t segments_left = 0;   // not finished yet
  std::uint32_t segments_taken = 0;  // running, or enqueued behind something that runs
  std::uint32_t failures = 0;        // of its segments
  std::uint32_t first_state = 0;     // its segments' states begin here (the engine's business)
  bool covered = true;               // by the contract of its agreement
  bool active = false;               // admitted and not ended

  bool started() const { return first_start != kNever; }
};

// One job for ever, whatever becomes of its slot.
struct JobHandle {
  JobId id;
  std::uint64_t serial = 0;
};

// A segment that could start now: all its predecessors have finished.
struct ReadySegment {
  JobId job;
  SegmentId segment;
  std::uint64_t serial = 0;  // of the job
  Instant since{};
};

}  // namespace fairlead
