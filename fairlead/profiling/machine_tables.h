// A measured machine as tables that the rest of Fairlead reads: the profile, and the five tables of
// data/h200 (layers, models, networks, co-runs, mixes); partitions are called p0, p1, ...
//
// docs/guide/profile.md says what the columns mean.
#pragma once

#include <cstdint>
#include <string>

#include "fairlead/costs/profile.h"
#include "fairlead/profiling/machine_profile.h"

namespace fairlead {

// Networks are chains of all their operators in order; each partition is a kind of accelerator.
Profile ProfileOfMachine(const MachineProfile& machine);

std::string LayersTable(const MachineProfile& machine);
std::string ModelsTable(const MachineProfile& machine);
std::string NetworksTable(const MachineProfile& machine);  // at the first batch size
// Of layers of networks, or of those that were drawn at random.
enum class Measured : std::uint8_t { kOfNetworks, kDrawn };
std::string CoRunsTable(const MachineProfile& machine, Measured measured);
std::string MixesTable(const MachineProfile& machine);
// What each layer of the profile is, how it was carried out, how many bytes that touches, and how
// much longer it takes while all other partitions read memory (0: not measured).
std::string OperatorsTable(const MachineProfile& machine);
// What the processor counted in each; its events are the last columns.
std::string CountersTable(const MachineProfile& machine);

}  // namespace fairlead
