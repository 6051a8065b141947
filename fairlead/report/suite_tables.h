// The tables of the suite's page.
#pragma once

#include <span>

#include "fairlead/report/html_page.h"
#include "fairlead/report/suite_results.h"
#include "fairlead/report/suite_scores.h"

namespace fairlead {

// Rows are policies; in the first those least behind in the first measure come first, in the next
// two those least behind in that measure. There is at least one measure.
HtmlTable VerdictTable(const SuiteResults& results, std::span<const JudgedMeasure> measures);
HtmlTable WhereTable(const SuiteResults& results, const JudgedMeasure& judged);
HtmlTable LossTable(const SuiteResults& results, const JudgedMeasure& judged);

HtmlTable ScenarioTable(const SuiteResults& results, std::span<const JudgedMeasure> measures);
// Without rows where everybody ran everywhere.
HtmlTable RefusalTable(const SuiteResults& results);

}  // namespace fairlead
