// The Azure Functions trace of 2019 (Shahrad et al., USENIX ATC 2020): how often each function was
// invoked in each minute of a day.
//
// CSV with the header HashOwner,HashApp,HashFunction,Trigger,1,...,1440: a line for each function,
// then the number of invocations by minute. Files cut to fewer minutes are read too.
//
// An owner becomes a tenant; functions are dealt the networks in turn, by their first appearance;
// invocations are spread evenly at random over their minute. What is drawn for a function depends
// on the seed and its names alone, so that keeping fewer tenants changes nothing for the others.
#pragma once

#include <string_view>

#include "fairlead/workload/trace_requests.h"

namespace fairlead {

// Reads the text twice: first who asks how often, then the arrivals of those who are kept.
Result<ImportedRequests> ParseAzureFunctions2019(std::string_view file, std::string_view text,
                                                 const TraceOptions& options);

}  // namespace fairlead
