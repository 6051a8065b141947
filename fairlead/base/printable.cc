#include "fairlead/base/printable.h"

#include <fmt/format.h>

namespace fairlead {

std::size_t PrintableLength(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  if (first < 0xc2 || first > 0xf4) return 0;
  const std::size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // The longer forms of what is shorter, surrogates, what lies beyond, and further controls.
  if ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) > 0x9f)) return 0;
  if ((first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) > 0x8f)) return 0;
  if (first == 0xc2 && byte(1) < 0xa0) return 0;
  return length;
}

std::string OnOneLine(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    const std::size_t length = PrintableLength(text);
    if (length == 0) {
      line += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
      text.remove_prefix(1);
    } else {
      line += text.substr(0, length);
      text.remove_prefix(length);
    }
  }
  return line;
}

std::string WhyNoName(std::string_view text, std::size_t longest) {
  if (text.empty()) return "is empty";
  std::size_t seen = 0;
  while (seen < text.size() && text.size() <= longest) {
    const std::size_t length = PrintableLength(text.substr(seen));
    if (length == 0) break;
    seen += length;
  }
  if (seen < text.size())
    return fmt::format("is not a name of up to {} printable characters", longest);
  if (std::string_view("=+-@").find(text.front()) != std::string_view::npos)
    return fmt::format("is not a name: it begins with '{}', like a formula", text.front());
  return "";
}

}  // namespace fairlead
