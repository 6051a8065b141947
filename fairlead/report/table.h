// Results as a table for people: a row for each policy, the fluid bound under them, and a line
// about the world.
//
//                          -- agreements' hits ---
//   policy      requests hits worst median  Jain  met   p99 busy memory
//                           %     %      %          %    ms    %      %
//   edf-h          10000 81.2  40.0   83.0 0.978 61.0 45.20 92.5   71.0
//   fluid bound          93.1  88.0
//
// With several seeds a figure is the mean, and the line below it half of its 95 % interval; where
// no seed made a difference there is none, and the table says so. `met` is the share of agreements
// that got what they were promised, `memory` the use of the shared bandwidth, `busy` the mean over
// accelerators (by kind below, where there are several). A dash stands for what is not defined.
// Rows are at most 80 columns wide; a policy whose name does not fit has it on a line of its own.
//
// Smaller tables follow where there is something to tell: requests beyond their contracts, periods,
// windows, sacrifices, kinds of accelerators, hand-overs, the guard, live runs. They are means over
// seeds too.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/report/agreement_table.h"
#include "fairlead/report/figures.h"

namespace fairlead {

// Policies in the order of their first runs. Agreements are listed one by one where they are few,
// or all are asked for (agreement_table.h).
std::string FormatTable(std::string_view scenario, std::span<const RunFigures> runs,
                        AgreementsShown shown = AgreementsShown::kIfFew);

// Whether sharing was worth it to tenants: what each had under a policy, over what it had under
// static-partition on the same requests, which stands for exclusive use of one's share.
struct IncentiveFigures {
  std::string against;      // the policy that stands for exclusive use
  std::vector<double> phi;  // of each tenant: its hits, over those
  double gaining = 0;       // the share of tenants with phi of 1 or more
};

// None where no static-partition ran with the seed, or it is the run itself.
std::optional<IncentiveFigures> IncentivesOf(const RunFigures& run,
                                             std::span<const RunFigures> runs);

// The least is of all seeds. Empty where there is nothing to compare.
std::string FormatIncentives(std::span<const RunFigures> runs);

// How busy each kind of accelerators was, and what share of the work prefers which. Empty where
// there are fewer than two kinds.
std::string FormatKinds(std::span<const RunFigures> runs);

// Nothing for simulated runs.
std::string FormatLive(std::span<const RunFigures> runs);

}  // namespace fairlead
