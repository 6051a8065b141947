// A file that is written under another name and takes its own when it is complete, so that what
// stands on disk is never half a result. What is no regular file (/dev/null, a pipe) is never
// replaced: it is written directly.
#pragma once

#include <fstream>
#include <memory>
#include <ostream>
#include <string>

#include "fairlead/base/result.h"

namespace fairlead {

class OutputFile {
 public:
  static Result<std::unique_ptr<OutputFile>> Open(std::string path);
  // Removes what was not committed.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  std::ostream& stream() { return stream_; }
  // Once, when all is written.
  Status Commit();

 private:
  explicit OutputFile(std::string path) : path_(std::move(path)) {}

  std::string path_;
  std::string part_;  // what is written, and renamed or removed; empty: the path itself
  std::ofstream stream_;
};

// Makes the folder if need be, so that what cannot be written is known before any work begins:
// `file` stands for what will be written there, and is not.
Status MakeFolder(const std::string& folder, const std::string& file);

// The whole text to standard output.
Status PrintOut(const std::string& text);

}  // namespace fairlead
