// The figures of the suite's page, each with its caption.
#pragma once

#include <vector>

#include "fairlead/plots/series_style.h"
#include "fairlead/report/html_page.h"
#include "fairlead/report/suite_results.h"
#include "fairlead/report/suite_scores.h"

namespace fairlead {

// Styles are by policy: the same in every figure of a page.
using PolicyStyles = std::vector<SeriesStyle>;

HtmlFigure ProfileFigure(const SuiteResults& results, const JudgedMeasure& judged,
                         const PolicyStyles& styles);
// Those that led somewhere.
HtmlFigure LeadFigure(const SuiteResults& results, const JudgedMeasure& judged,
                      const PolicyStyles& styles);

}  // namespace fairlead
