// Quantities as people write them: "5ms", "16GB/s", "80%", and close spellings of a word.
//
// A number without its unit is an error: 5 could be anything.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "fairlead/base/result.h"
#include "fairlead/base/time.h"

namespace fairlead {

Result<Duration> ParseDuration(std::string_view text);       // ns us µs ms s min h; >= 0
Result<std::int64_t> ParseBandwidth(std::string_view text);  // B/s kB/s MB/s GB/s TB/s; > 0
Result<double> ParseRate(std::string_view text);             // 80% or 0.8; in [0, 1]
Result<double> ParseNumber(std::string_view text);           // finite
Result<std::int64_t> ParseInteger(std::string_view text);    // decimal; may be negative

// The shortest exact spelling: 1500000ns becomes 1500us.
std::string FormatDuration(Duration duration);
std::string FormatBandwidth(std::int64_t bytes_per_second);

// "; did you mean 'x'?" for the closest candidate within two edits, else "; expected one of ...".
std::string Suggest(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace fairlead
