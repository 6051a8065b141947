// What the ledger knows of one agreement, to be kept, or moved to another machine: all of it, where
// none of the agreement's requests is under way.
//
// Whole numbers, outcomes as letters and a few rates, so that a text holds it exactly. Whoever
// continues a history has the same indicators, windows, periods and tokens as if it had never
// stopped; its time goes on where it was left, whatever the clock of the other machine says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fairlead/base/time.h"
#include "fairlead/domain/contract.h"
#include "fairlead/fairness/outcome_counts.h"
#include "fairlead/fairness/promise_periods.h"

namespace fairlead {

struct AgreementHistory {
  static constexpr char kHit = 'h';
  static constexpr char kFailure = 'f';

  // Of requests, by how they ended; measured are those after the warm-up.
  OutcomeCounts lifetime{};
  OutcomeCounts measured{};
  OutcomeCounts uncovered{};

  // The promise of windows that these count for, and the last outcomes, the oldest first: in order
  // of arrival those in the window that is watched, in order of ending those that the distance to
  // a breach rests on.
  int window = 0;
  int max_misses = 0;
  std::string watched;
  std::string ended;
  int most_failures = -1;  // in any full window; -1 before the first
  std::int64_t violations = 0;
  double worst_before = 2;  // of windows before the last change; above 1: none was full

  // The current period, where the share is promised for one, and those before.
  struct Period {
    Duration length{};
    PeriodKind kind = PeriodKind::kTumbling;
    PeriodCounts current{};              // of a sliding one: its last slice
    std::vector<PeriodCounts> before{};  // its slices before that, the oldest first
    PeriodVerdicts judged{};

    friend bool operator==(const Period&, const Period&) = default;
  };
  std::optional<Period> period{};

  // What is in the bucket of a contract: whole tokens, and 10^-15 tokens beside them.
  struct Bucket {
    Contract contract{};
    std::int64_t tokens = 0;
    std::int64_t parts = 0;

    friend bool operator==(const Bucket&, const Bucket&) = default;
  };
  std::optional<Bucket> bucket{};

  Duration time{};  // since the books were opened

  friend bool operator==(const AgreementHistory&, const AgreementHistory&) = default;
};

// What its numbers contradict each other in; empty if nothing. That each is in its own range is not
// asked here.
std::string WhatIsWrong(const AgreementHistory& history);

}  // namespace fairlead
