// What an experiment found: numbers that can be held to those of a paper and to those that we had
// before, and how to show them.
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

struct ExperimentFigure {
  HtmlFigure figure;
  std::string csv;  // the rows behind it
};

struct ExperimentResults {
  std::vector<ExperimentNumber> numbers;
  std::vector<ExperimentFigure> figures;
  std::vector<HtmlTable> tables;
};

}  // namespace fairlead
