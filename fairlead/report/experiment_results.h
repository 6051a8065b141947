// What an experiment found: numbers that can be held to expected ones, and how to show them.
#pragma once

#include <string>
#include <vector>

#include "fairlead/base/statistics.h"
#include "fairlead/report/html_page.h"

namespace fairlead {

struct ExperimentNumber {
  std::string name;  // "ratio/equal/themis"
  Estimate estimate;
};

struct ExperimentResults {
  std::vector<ExperimentNumber> numbers;
  std::vector<std::string> findings;  // in sentences, for people
  std::vector<HtmlFigure> figures;
  std::vector<HtmlTable> tables;
};

}  // namespace fairlead
