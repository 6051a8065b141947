// The table of policies: name, one line on what it is, its options, and how to make it.
//
// Help texts, sweeps, the conformance suite and the documentation check all read this table. There
// are no static initialisers: a new policy is a new row, and its options are bound to its struct in
// policy_options.h.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/domain/platform.h"
#include "fairlead/scenario/files.h"
#include "fairlead/scenario/option_table.h"
#include "fairlead/scheduling/policy.h"

namespace fairlead {

// What a policy is made from, beside its options.
struct PolicyContext {
  std::uint64_t seed = 0;              // of the run; the policy's stream is named "policy"
  const Platform* platform = nullptr;  // whose names stand in files
  std::string plan;                    // the file of --plan; empty: there is none
  std::string name;                    // of a policy from a file (policy_plugin.h)
  // Reads the files that policies are made from, such as plans; an error names the file. Where a
  // run comes out of a recording, so do they.
  FileReader read = &ReadFile;
  // Where a policy whose thinking takes energy adds it up, in picojoules; may be null.
  double* thinking_pj = nullptr;
};

// What a policy asks of the run that it is made for.
struct PolicyNeeds {
  bool plan = false;  // of requests that are all known beforehand, and from the start of the run
};

// Of the policies of a run that looks ahead (running/look_ahead.h).
struct LookAheadOptions {
  std::vector<std::string> policies;  // to choose from; the first is in charge at the start
  std::size_t most = 4096;            // recent requests that are remembered
  double margin = 0.01;               // of all promises
};

// A policy with values chosen for all its options.
struct PolicyChoice {
  std::string canonical;  // the name with its options in the table's order, defaults left out
  PolicyNeeds needs;
  // It makes the first of these, and a LookAhead beside the run puts others in charge.
  std::optional<LookAheadOptions> look_ahead{};
  std::function<Result<std::unique_ptr<SchedulingPolicy>>(const PolicyContext&)> make;
};

struct PolicyEntry {
  std::string_view name;
  std::string_view description;
  PolicyNeeds needs;
  std::vector<OptionInfo> options;
  // With options, "drop=early;wait=never", or as it is.
  std::function<Result<PolicyChoice>(std::optional<std::string_view> options)> choose;
};

std::span<const PolicyEntry> Policies();

// `spec` is a name, optionally with options: "edf-h:drop=early;wait=never".
Result<PolicyChoice> ChoosePolicy(std::string_view spec);

// The policy's Name() is its canonical form.
Result<std::unique_ptr<SchedulingPolicy>> MakePolicy(std::string_view spec,
                                                     const PolicyContext& context);

// Checks a spec without making the policy; returns its canonical form.
Result<std::string> CanonicalPolicy(std::string_view spec);

// The policy with drop=early; none where it has no such option, or does so anyway.
std::optional<std::string> WithEarlyDrop(const PolicyEntry& policy);

// The specs in "A,B,..."; "all" stands for every policy that needs no plan, as it is and, where
// that differs, with drop=early.
Result<std::vector<std::string>> ParsePolicyList(std::string_view text);

// The policy as it is, and with each other sample of each of its options, one at a time: every
// value that is a word, and some of those that are numbers.
std::vector<std::string> SampleSpecs(const PolicyEntry& policy);

}  // namespace fairlead
