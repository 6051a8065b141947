// Where a request's time went.
//
// The inputs of a recording are fed to an engine once more, with the plans that were recorded, so
// the answer tells of the run as it was, also when the policy has changed since. For a request with
// segments side by side it follows the critical path: back from the last segment to the
// predecessor that finished last, and so on. On that path
//
//   end - arrival = admission + waited + alone + switching + going on + slowed + lost
//
// holds exactly. What a segment takes alone is the belief of the run; `slowed` is what came on top,
// by co-runners or because the belief was wrong (it is negative where the belief was too high).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/domain/request.h"
#include "fairlead/recording/recording_reader.h"
#include "fairlead/scheduling/event.h"

namespace fairlead {

// Who used an accelerator while somebody waited for it, and for how long. Where several shared the
// accelerator, each counts by its share of the units.
struct Blocker {
  RequestNumber request = 0;  // of a batch: the first; of a sum over a tenant's network: the worst
  std::string tenant;
  std::string network;
  Duration time{};
};

// One wait: for the accelerator on which the segment started then, or, if it never did, for all
// that could have run it (each counting by its share). Up to rounding, the time is that of all
// blockers, deciding, away and idle together.
struct Wait {
  Duration time{};
  std::vector<Blocker> behind;  // the longest first
  Duration deciding{};          // the policy's own decision ran there
  Duration away{};              // the accelerator was gone
  Duration idle{};              // nothing ran there: the policy let it wait, or wanted it elsewhere
};

// What it took to go on with the job, beside its work, as believed (costs/hand_over_costs.h).
struct GoingOn {
  Duration handing_over{};
  Duration taking_over{};
  Duration moving{};

  Duration sum() const { return handing_over + taking_over + moving; }
};

struct SegmentAccount {
  SegmentId segment;
  std::string name;
  Instant ready{};
  Instant start = kNever;  // of the last try; kNever: it did not start
  Instant end = kNever;    // kNever: it did not finish
  std::string accelerator;
  int units = 0;
  int batch = 0;
  int failures = 0;
  bool on_path = false;  // critical
  Wait wait;             // all its waits together
  Duration ran{};  // the last try, up to the end of the job: alone + switching + going on + slowed
  Duration alone{};
  Duration switching{};  // because another network ran there before
  GoingOn going_on;
  Duration slowed{};
  Duration lost{};  // in tries that failed
};

// What a guard did, in words.
struct GuardNote {
  Instant at{};
  std::string what;
};

// What there was to say for giving up a promise, when it was.
struct SacrificeGrounds {
  double promised = 0;  // share of hits
  double received = 0;  // in its period so far
  double penalty = 0;   // of a request
  double stake = 0;     // that penalty, per second of the machine that a request takes
  int promises = 0;     // that there were
  int cheaper = 0;      // of these, whose breach costs less per second of the machine
  int alike = 0;        // and as much
  int given_up = 0;     // of these, it included
};

// The promise that it came under had been given up.
struct SacrificeSpell {
  Instant since{};         // before its arrival, perhaps
  Instant until = kNever;  // kNever: not before its end
  std::string fallback{};  // which gave it up in place of the policy; empty: the policy did
  SacrificeGrounds grounds{};
};

struct RequestAccount {
  RequestNumber request = 0;
  std::string tenant;
  std::string network;
  int priority = 1;
  bool covered = true;  // by its contract
  Instant arrival{};
  Instant deadline{};  // absolute
  Instant first_start = kNever;
  Instant end{};                         // of the job, or of the recording
  std::optional<Outcome> outcome;        // none: the recording ends before
  Reason reason{};                       // why it was given up
  std::vector<SegmentAccount> segments;  // those that became ready, in this order
  std::size_t segments_in_all = 0;
  std::vector<std::size_t> path;  // into `segments`, from first to last
  std::vector<GuardNote> guard;   // what a guard did meanwhile, and whom it had put in charge
  std::vector<SacrificeSpell> sacrificed;  // during its life; none if no contract covers it

  // Along the path.
  Duration admission{};  // from the arrival until the engine was told
  Wait wait;             // blockers summed up by tenant and network
  Duration alone{};
  Duration switching{};
  GoingOn going_on;
  Duration slowed{};
  Duration lost{};

  Duration total() const { return end - arrival; }
  // The first of its waits.
  Duration before_first_start() const {
    return (first_start == kNever ? end : first_start) - arrival;
  }
};

// Fails when the recording is malformed or has no such request; the message says which it has.
Result<RequestAccount> AccountFor(const Recording& recording, RequestNumber request);

// For people, several lines; the last one is the verdict.
std::string ToText(const RequestAccount& account);
// In one sentence: what became of it, and what took most of its time.
std::string Verdict(const RequestAccount& account);

Result<std::string> Why(const Recording& recording, RequestNumber request);

}  // namespace fairlead
