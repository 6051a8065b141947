// karma: credits for what one leaves to others.
//
// Assumes: an agent wants as many accelerators as are of use to it.
// Steps: a part of each agent's share (guaranteed) is its own; it takes that much from its list,
// if it wants it. What others leave of theirs, and the part of all shares that is nobody's own,
// goes to whoever wants more, the one with most credits first, at one credit each. A credit paid
// for what an agent left is that agent's, the poorest one's first; others vanish, and the part
// that is nobody's own brings each, every round, the credits by which its share exceeds its own.
// Guarantees: who leaves much to others in quiet times comes first in busy ones; no credit is
// rounded.
// Source: Vuppalapati et al., OSDI 2023. Income by weight at one price for all stands for the
// paper's prices by weight. Debts are allowed: accelerators never stay idle for want of credits.
// Cost per round: agents x groups, accelerators x agents.
#pragma once

#include <memory>

#include "fairlead/sharing/mechanism.h"

namespace fairlead {

struct KarmaOptions {
  std::size_t guaranteed = 50;  // per cent of an agent's share
};

std::unique_ptr<SharingMechanism> MakeKarma(const Market& market, const KarmaOptions& options);

}  // namespace fairlead
