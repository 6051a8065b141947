// Results agreement by agreement, for people (`-o wide`), for spreadsheets (`-o csv`) and as a
// table of the report that can be sorted.
//
//   edf-h
//   agreement         target    got  claim    p50    p99  worst  lost to
//                          %      %            ms     ms  window
//   camera: resnet50    95.0   97.1  holds   12.2   20.1   88.0  late 2.4, hopeless 0.5
//
// With several seeds rates and percentiles are means, claims and losses are of all of them
// together, and the window is the worst of all. Losses are in percent of the agreement's requests.
//
// How promises of a kind fared (shares for each period, windows, promises that were given up) is a
// row for each policy below the table of results, and a table of the report; both are empty where
// there are none.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "fairlead/report/figures.h"
#include "fairlead/report/html_page.h"
#include "fairlead/report/summary.h"

namespace fairlead {

// So many lines are listed without being asked for.
inline constexpr std::size_t kFewAgreements = 12;

enum class AgreementsShown : std::uint8_t { kIfFew, kAll };

// Empty where there are many and few were asked for.
std::string FormatAgreements(std::span<const RunFigures> runs, AgreementsShown shown);

// A line for each agreement of each run, after the values of the keys that were varied.
std::string AgreementsCsvHeader(std::span<const std::string> keys = {});
std::string AgreementsCsvLines(std::span<const RunFigures> runs,
                               std::span<const std::string> values = {});

// No rows where there is no agreement; the worst beside their targets first, up to a number that a
// page can bear.
HtmlTable AgreementTable(std::span<const PolicyRuns> policies);

// `worst` is the lowest hit rate of any period; those agreements come first that kept least.
std::string FormatPeriods(std::span<const PolicyRuns> policies);
HtmlTable PeriodTable(std::span<const PolicyRuns> policies);

// `kept` are agreements without a violated window, `worst` is the lowest hit rate of any window;
// those come first with the most violations.
std::string FormatWindows(std::span<const PolicyRuns> policies);
HtmlTable WindowTable(std::span<const PolicyRuns> policies);

// How long is over the agreements that were given up; the longest come first.
std::string FormatSacrifices(std::span<const PolicyRuns> policies);
HtmlTable SacrificeTable(std::span<const PolicyRuns> policies);

}  // namespace fairlead
