// What this program has read, so that no output overwrites it.
#pragma once

#include <fstream>
#include <iostream>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>

#include "fairlead/base/result.h"

namespace fairlead {

// ReadFile, and remembers the file. "-" is standard input; what is not here may be installed beside
// the program (PREFIX/share/fairlead). From any thread.
Result<std::string> ReadInput(const std::string& path);

// A key as it was given: itself, or what stands in the file behind "@" ("@-": standard input), so
// that it is not in the list of processes.
Result<std::string> ReadKey(const std::string& given);

// The path leads to a file that was read, by whatever name.
bool WasRead(const std::string& path);

// The file may be an output too, because that is asked for outright.
void AllowOverwriting(const std::string& path);

// A file that is written under a fresh name of its own, beside its target, and takes the target's
// when it is complete: what stands on disk is never half a result, and nobody else's file is
// touched before. What is no regular file (/dev/null, a pipe) is never replaced: it is written
// directly, as is standard output, whose name is "-".
inline constexpr std::string_view kStandardOutput = "-";

class OutputFile {
 public:
  // Fails where nothing could be written: a directory, a file that this program has read
  // (input_files.h), a file that is an output of this program already. From any thread.
  static Result<std::unique_ptr<OutputFile>> Open(std::string path);
  // Removes what was not committed.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  std::ostream& stream() { return path_ == kStandardOutput ? std::cout : stream_; }
  // Once, when all is written.
  Status Commit();

 private:
  explicit OutputFile(std::string path) : path_(std::move(path)) {}
  Status Create();

  std::string path_;    // as it was asked for
  std::string target_;  // where it leads; empty: it is written directly
  std::string part_;    // what is written, and renamed or removed; empty: the path itself
  std::ofstream stream_;
};

// When the program ends at once, and no OutputFile does it. From any thread.
void RemoveUnfinishedOutputs();

// Where a path leads to: links are followed, also to what is not there yet.
std::string WherePathLeads(const std::string& path);

// Makes the folder if need be, so that what cannot be written is known before any work begins:
// `file` stands for what will be written there, and is not.
Status MakeFolder(const std::string& folder, const std::string& file);

// The whole text to standard output.
Status PrintOut(const std::string& text);

}  // namespace fairlead
