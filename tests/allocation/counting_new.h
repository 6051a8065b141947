// Counts the allocations of this program: with it come replacements of operator new.
#pragma once

#include <cstdint>
#include <optional>

namespace fairlead::testing {

void StartCounting();  // from 0
// How many there were since; none if nobody started to count.
std::optional<std::uint64_t> StopCounting();

}  // namespace fairlead::testing
