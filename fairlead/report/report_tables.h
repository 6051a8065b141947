// The tables of the HTML report: what each policy reaches, and how policies differ.
#pragma once

#include <span>

#include "fairlead/report/html_page.h"
#include "fairlead/report/summary.h"

namespace fairlead {

// Means with half of their 95 % intervals, and the fluid bounds below. Figures that no policy has
// are left out.
HtmlTable PolicyTable(const Summary& summary);

// Paired on common seeds; what certainly differs is strong.
HtmlTable DifferenceTable(const Summary& summary);

}  // namespace fairlead
