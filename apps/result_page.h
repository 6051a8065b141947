// The page that a verb writes beside what it prints, where one was asked for (--report).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "apps/output_file.h"
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

}  // namespace fairlead
