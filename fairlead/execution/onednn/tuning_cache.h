// What was measured about recipes, kept on disk: the second load of a network measures nothing.
//
// One text file for each kind of machine (processor and version of oneDNN): a line with the
// format's version, then `key<TAB>value` lines in the order of their keys. A line that cannot be
// read is as good as missing, and the file may be deleted at any time.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "fairlead/base/result.h"

namespace fairlead {

class TuningCache {
 public:
  // Reads what is there. An empty folder: nothing is read or written.
  explicit TuningCache(const std::string& folder);

  // All thread-safe. Keys and values have neither tabs nor line ends.
  std::optional<std::string> Find(const std::string& key) const;
  void Put(const std::string& key, std::string value);
  // Adds what was put to the file, if anything was. Of two that save at the same moment one may be
  // lost, and is measured again some day.
  Status Save();

  const std::string& file() const { return file_; }  // empty: none

 private:
  using Table = std::map<std::string, std::string>;
  static Table Read(const std::string& file);

  std::string file_;
  mutable std::mutex mutex_;
  Table table_;
  bool changed_ = false;
};

// The content of a cache file as a table; empty where the first line is not ours.
std::map<std::string, std::string> ParseTunings(std::string_view text);

}  // namespace fairlead
