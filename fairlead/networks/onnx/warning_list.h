// Warnings of an import: one line for each kind, with the operators that it is about.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fairlead {

// A name as it may stand in tables and on the screen: not too long, printable, without commas,
// quotes and spaces.
std::string Printable(std::string_view name);

class WarningList {
 public:
  void Add(const std::string& warning, std::string_view node);

  // "is dilated (5 times: a, b, c, ...)", ordered by text.
  std::vector<std::string> Lines() const;

 private:
  struct Occurrences {
    std::size_t count = 0;
    std::string first;  // names of a few
  };
  std::map<std::string, Occurrences> warnings_;
};

}  // namespace fairlead
