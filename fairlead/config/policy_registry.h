// The table of policies: name, one line on what it is, its options, and how to make it.
//
// Help texts, sweeps, the conformance suite and the documentation check all read this table. There
// are no static initialisers: a new policy is a new row.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/policies/fixed_plan.h"
#include "fairlead/scheduling/policy.h"

namespace fairlead {

struct PolicyOption {
  std::string_view key;
  std::string_view values;  // "none|early"; the first is the default
  std::string_view description;
};

// What a policy is made from, beside its options.
struct PolicyContext {
  std::uint64_t seed = 0;           // of the run; the policy's stream is named "policy"
  const FixedPlan* plan = nullptr;  // for fixed-plan
};

// A policy with values chosen for all its options.
struct PolicyChoice {
  const struct PolicyEntry* entry = nullptr;
  std::vector<std::string> values;  // in the order of the entry's options

  std::string_view operator[](std::string_view key) const;
  // The name with its options in the table's order, defaults left out.
  std::string Canonical() const;
};

struct PolicyEntry {
  std::string_view name;
  std::string_view description;
  std::vector<PolicyOption> options;
  Result<std::unique_ptr<SchedulingPolicy>> (*make)(const PolicyChoice&, const PolicyContext&);
};

std::span<const PolicyEntry> Policies();

// `spec` is a name, optionally with options: "edf-h:drop=early;wait=never". The policy's Name() is
// its canonical form.
Result<std::unique_ptr<SchedulingPolicy>> MakePolicy(std::string_view spec,
                                                     const PolicyContext& context);

// Checks a spec without making the policy; returns its canonical form.
Result<std::string> CanonicalPolicy(std::string_view spec);

// The specs in "A,B,..."; "all" stands for every policy that needs no plan.
Result<std::vector<std::string>> ParsePolicyList(std::string_view text);

}  // namespace fairlead
