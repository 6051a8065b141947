// The page that a verb writes beside what it prints, where one was asked for (--report).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "apps/files.h"
#include "fairlead/base/result.h"

namespace fairlead {

class ResultPage {
 public:
  // Opens the file, so that what cannot be written is known before anything runs. An empty path: no
  // page.
  static Result<ResultPage> Open(const std::string& path);

  // Writes the page, if there is one, prints the text, and hands back the exit status.
  int Finish(const std::function<std::string()>& page, const std::string& text);

 private:
  std::unique_ptr<OutputFile> file_;
};

// Results on a terminal: verdicts in colours. What goes into files and pipes stays plain, as does
// everything where NO_COLOR is set.

// The text as standard output shows it best.
std::string ForTerminal(const std::string& text);

}  // namespace fairlead
