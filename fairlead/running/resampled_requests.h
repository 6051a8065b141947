// Other traffics like one that was recorded: blocks of the recording, drawn by chance and put
// together anew, with what described tenants send beside it.
//
// A block begins anywhere in the recording, whose end is followed by its beginning, and holds what
// everybody sent at that time: what is correlated within a block stays so, and what only longer
// stretches of time show is lost. On average each tenant sends what it sent.
#pragma once

#include <cstdint>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/domain/request.h"
#include "fairlead/workload/request_source.h"
#include "fairlead/world/world.h"

namespace fairlead {

// How to resample what a world lists: blocks of a hundredth of the recording, or of ten times the
// longest deadline where that is more. Fails where there would be fewer than twenty of them.
Result<Resampling> ResamplingOf(const World& world, std::uint64_t as_recorded);

// In order of arrival, numbered from 0. The world resamples; `described` is what the others send.
std::vector<Request> ResampledRequests(const World& world, std::uint64_t seed,
                                       RequestSource& described);

}  // namespace fairlead
