#include "apps/result_page.h"

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
    const Status written = file_->Commit();
    if (!written.has_value()) return Complain(written.error(), kCouldNotGoOn);
  }
  const Status printed = PrintOut(text);
  if (!printed.has_value()) return Complain(printed.error(), kCouldNotGoOn);
  return kDone;
}

}  // namespace fairlead
