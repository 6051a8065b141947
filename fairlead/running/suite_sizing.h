// How long a scenario of the suite runs: long enough to say something about every agreement, short
// enough that all policies can be run.
#pragma once

#include "fairlead/base/result.h"
#include "fairlead/running/suite_draft.h"

namespace fairlead {

// A horizon in which agreements get a hundred requests on average, and which lasts twenty of the
// longest deadlines, so that backlogs have time to build up; but within 20,000 and 250,000
// segments and up to 40,000 requests, whatever that means for the other two.
inline constexpr double kSuiteRequestsEach = 100;
inline constexpr double kSuiteDeadlines = 20;
inline constexpr double kSuiteFewestSegments = 20'000;
inline constexpr double kSuiteMostSegments = 250'000;
inline constexpr double kSuiteMostRequests = 40'000;

// Builds the draft's world to see its rates.
Result<SuiteScale> SizeScenario(const SuiteDraft& draft);

}  // namespace fairlead
