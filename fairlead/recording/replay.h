// Runs a recording again and compares every decision with the recorded one.
//
// Equal histories give equal plans: whatever world a run was recorded in, simulated or live, the
// same policy must decide the same now, since all that it ever saw stands in the file. A difference
// means that the policy, or the engine below it, behaves differently than when the run was
// recorded.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "fairlead/base/result.h"
#include "fairlead/recording/recording_reader.h"
#include "fairlead/scheduling/policy.h"

namespace fairlead {

// Makes a policy from its name and options; the recording has the seed, the extras and the world.
using ReplayPolicyFactory = std::function<Result<std::unique_ptr<SchedulingPolicy>>(
    std::string_view policy, const Recording& recording)>;

// The first decision that came out differently. The replay ends there: what the file says after it
// happened to other plans.
struct ReplayDifference {
  Instant at{};
  std::uint64_t decision = 0;  // counted from 1
  int line = 0;                // of the file
  std::string what;            // in one sentence
  std::string recorded;        // the plans, a line for each entry
  std::string replayed;
};

struct ReplayReport {
  std::uint64_t instants = 0;
  std::uint64_t inputs = 0;
  std::uint64_t decisions = 0;  // that were compared, the different one included
  std::uint64_t entries = 0;    // of the recorded plans
  Instant end{};                // of the last instant
  std::string policy_then;      // its name in the file
  std::string policy_now;
  // The recorded run was stopped by a wrong plan, and so was this one.
  std::string stopped;
  std::optional<ReplayDifference> difference;

  bool identical() const { return !difference.has_value(); }
};

// Fails when the file is malformed or the policy cannot be made, not when decisions differ.
Result<ReplayReport> Replay(const Recording& recording, const ReplayPolicyFactory& policies);

// For people; ends with a line end.
std::string ToText(const ReplayReport& report);

}  // namespace fairlead
