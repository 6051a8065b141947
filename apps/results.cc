#include "apps/results.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "apps/verbs.h"

namespace fairlead {

Result<ResultPage> ResultPage::Open(const std::string& path) {
  ResultPage page;
  if (path.empty()) return page;
  ASSIGN_OR_RETURN(page.file_, OutputFile::Open(path));
  return page;
}

int ResultPage::Finish(const std::function<std::string()>& page, const std::string& text) {
  if (file_ != nullptr) {
    file_->stream() << page();
    COMPLAIN_IF_ERROR(file_->Commit(), kCouldNotGoOn);
  }
  COMPLAIN_IF_ERROR(PrintOut(text), kCouldNotGoOn);
  return kDone;
}

namespace {

struct Judgement {
  std::string_view word;
  std::string_view colour;
  bool at_begin = false;  // of a line only: elsewhere it is the title of a column
};
constexpr Judgement kVerdicts[] = {{" holds ", "\033[32m"},
                                   {" broken ", "\033[31m"},
                                   {"  met ", "\033[32m", true},
                                   {"  NOT MET ", "\033[31m", true}};
constexpr std::string_view kPlain = "\033[0m";

bool ShowsColours() {
  const auto set = [](const char* name) {
    const char* const value = std::getenv(name);
    return value != nullptr && *value != '\0';
  };
  const char* const terminal = std::getenv("TERM");
  return isatty(STDOUT_FILENO) != 0 && !set("NO_COLOR") && terminal != nullptr &&
         std::string_view(terminal) != "dumb";
}

}  // namespace

std::string ForTerminal(const std::string& text) {
  if (!ShowsColours()) return text;
  std::string coloured;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t next = 1;
    for (const Judgement& verdict : kVerdicts) {
      if (text.compare(at, verdict.word.size(), verdict.word) != 0) continue;
      if (verdict.at_begin && at > 0 && text[at - 1] != '\n') continue;
      coloured += verdict.colour;
      coloured += verdict.word;
      coloured += kPlain;
      next = 0;
      at += verdict.word.size();
      break;
    }
    if (next == 1) coloured += text[at++];
  }
  return coloured;
}

}  // namespace fairlead
