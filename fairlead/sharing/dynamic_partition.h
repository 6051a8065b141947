// dynamic-partition: each agent has its weight's number of accelerators, and chooses which.
//
// Assumes: nothing.
// Steps: each agent has its number (where that is no whole one, it has the fraction over
// rounds); agent after agent takes so many from the top of its list.
// Guarantees: the number of accelerators follows weights exactly. Not: that an agent has use for
// all of its own; none is lent.
// Source: the thesis's M_0, chapter 3.2, whose table follows when the first agent always chooses
// first (first=fixed). Our default changes who chooses first from round to round.
// Cost per round: agents x groups.
#pragma once

#include <memory>

#include "fairlead/sharing/mechanism.h"

namespace fairlead {

struct DynamicPartitionOptions {
  enum class First { kRotate, kFixed };
  First first = First::kRotate;
};

std::unique_ptr<SharingMechanism> MakeDynamicPartition(const Market& market,
                                                       const DynamicPartitionOptions& options);

}  // namespace fairlead
