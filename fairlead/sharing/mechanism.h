// The one interface of all that divide accelerators among agents round by round.
//
// A mechanism is a pure function of what agents report and of what it keeps itself from round to
// round (budgets, passes, turns): no clock, no chance, no world. So agents may be functions of one
// process or processes of many machines, and the same reports give the same allocations.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "fairlead/sharing/market.h"

namespace fairlead {

struct Allocation {
  static constexpr int kNobody = -1;

  std::vector<int> holder;  // the agent of each accelerator, or kNobody
  // Instead: each agent has its weight's share of the round on every accelerator; no holders then.
  bool divided = false;
};

class SharingMechanism {
 public:
  virtual ~SharingMechanism() = default;

  virtual std::string_view Name() const = 0;
  // One round. `reports` passed CheckReports for the market that the mechanism was made for.
  // Replaces what was in `allocation`; each accelerator has one holder or none.
  virtual void Allocate(const Reports& reports, Allocation& allocation) = 0;

  // What each agent may spend, in grains; empty where there is nothing to spend. Agents may decide
  // by it what to report.
  virtual std::span<const std::int64_t> Budgets() const { return {}; }
  // The grains of one token.
  virtual std::int64_t Grains() const { return 1; }
  // The same in the same state, to ask what other reports would have brought; null where it can't
  // be copied.
  virtual std::unique_ptr<SharingMechanism> Clone() const { return nullptr; }
  // How far the last allocation may be from what it looked for, as a share; 0: it is that.
  virtual double Gap() const { return 0; }
};

}  // namespace fairlead
