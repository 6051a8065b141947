// The reason of an answer, in a sentence.
#pragma once

#include <string>
#include <vector>

#include "fairlead/report/quote_results.h"
#include "fairlead/running/quote_evidence.h"

namespace fairlead {

std::string ReasonOf(const QuoteResults& results, const Evidence& evidence);
// Where promises are broken without what is asked for.
std::string AlreadyBroken(const std::vector<Trial>& without);

}  // namespace fairlead
