// What an entry of a plan consists of, described once: each verb's name, its word in a recording
// and its fields in order. Whoever writes or reads plans walks over this description.
//
// A walker (recording/field_writer.h, recording/field_reader.h) has, beside some of the methods
// that input_fields.h lists,
//
//   Named(what, id)         of something that need not exist: plans may be wrong
//   Units(number)
//   Version(number)         mostly 0, which is not written
//   Job(), Jobs()           the job, or all the jobs, of the entry: they stand in the plan
//   Choice(what, enum, names)
//   Wake(instant)           any, kNever included
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "fairlead/scheduling/plan.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

// A plan in words, for messages to people: requests and accelerators by name.
//
// Two entries that differ in anything read differently.

// The plan need not be right: what does not exist is called unknown.
std::string Describe(const SystemState& state, const SchedulingPlan& plan, const PlanEntry& entry);
// A line for each entry, indented by two; "  (nothing)" for an empty plan.
std::string Describe(const SystemState& state, const SchedulingPlan& plan);

struct VerbNames {
  std::string_view name;  // for people
  std::string_view word;  // that begins its line in a recording
};

// By Verb.
inline constexpr std::array<VerbNames, 8> kVerbs = {{{"start", ">"},
                                                     {"enqueue", ">>"},
                                                     {"resize", ">resize"},
                                                     {"drop", ">drop"},
                                                     {"reject", ">reject"},
                                                     {"wake", ">wake"},
                                                     {"sacrifice", ">sacrifice"},
                                                     {"restore", ">restore"}}};

constexpr const VerbNames& NamesOf(Verb verb) { return kVerbs[static_cast<std::size_t>(verb)]; }

// The entry has its verb already.
void WalkEntry(auto& walker, auto& entry) {
  switch (entry.verb) {
    case Verb::kStart:
    case Verb::kEnqueue:
      walker.Named("an accelerator", entry.accelerator);
      walker.Named("a segment", entry.segment);
      walker.Units(entry.options.units);
      walker.Version(entry.options.version);
      walker.Whole("a bandwidth", entry.options.bandwidth_cap);
      walker.Jobs();
      return;
    case Verb::kResize:
      walker.Assignment(entry.assignment);
      walker.Units(entry.options.units);
      return;
    case Verb::kDrop:
    case Verb::kReject:
      walker.Job();
      walker.Choice("a reason", entry.reason, kReasonNames);
      return;
    case Verb::kWake: walker.Wake(entry.at); return;
    case Verb::kSacrifice:
    case Verb::kRestore: walker.Named("an agreement", entry.agreement); return;
  }
}

}  // namespace fairlead
