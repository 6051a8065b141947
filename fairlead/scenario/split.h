// A text cut at each separator: "a,b" has two parts, and "" one, which is empty.
#pragma once

#include <string_view>
#include <vector>

namespace fairlead {

inline std::vector<std::string_view> SplitAt(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

}  // namespace fairlead
