// Words and orders that the table and the page of a quote share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fairlead/report/quote_results.h"

namespace fairlead {

std::string PercentOrDash(const std::optional<double>& share);
// "yes", or what can be promised instead.
std::string AnswerInWords(const QuoteResults& results);
// What was done to find out, in a sentence or two.
std::string MethodInWords(const QuoteResults& results);
// Those asked for first, then who is hurt, then who breaks, then by how near they are to their
// promise.
std::vector<const QuotedAgreement*> MostAtStakeFirst(const QuoteResults& results);

}  // namespace fairlead
