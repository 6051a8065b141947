// round-robin: agents take accelerators in turns, and whose turn it is stays from round to round.
//
// Assumes: nothing.
// Steps: the agent whose turn it is takes the first free accelerator of its list, and has as
// many turns in a row as its weight says; then it is the next one's turn, until all are handed
// out.
// Guarantees: over rounds the number of accelerators follows weights. Not: that they are of use.
// Source: chapter 2.2.1 of the thesis; turns by weight are ours. The scheduling policy round-
// robin is another thing: it puts segments of tenants in order on an engine.
// Cost per round: agents x groups.
#pragma once

#include <memory>

#include "fairlead/sharing/mechanism.h"

namespace fairlead {

std::unique_ptr<SharingMechanism> MakeTakeTurns(const Market& market);

}  // namespace fairlead
