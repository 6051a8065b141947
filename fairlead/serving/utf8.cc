#include "fairlead/serving/utf8.h"

namespace fairlead {

std::size_t Utf8Length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto follows = [&](std::size_t i) { return i < text.size() && (byte(i) & 0xC0) == 0x80; };
  if (byte(0) < 0x80) return 1;
  if (byte(0) >= 0xC2 && byte(0) <= 0xDF) return follows(1) ? 2 : 0;
  if (byte(0) >= 0xE0 && byte(0) <= 0xEF) {
    if (!follows(1) || !follows(2)) return 0;
    if (byte(0) == 0xE0 && byte(1) < 0xA0) return 0;  // could be shorter
    if (byte(0) == 0xED && byte(1) > 0x9F) return 0;  // half of a pair
    return 3;
  }
  if (byte(0) >= 0xF0 && byte(0) <= 0xF4) {
    if (!follows(1) || !follows(2) || !follows(3)) return 0;
    if (byte(0) == 0xF0 && byte(1) < 0x90) return 0;
    if (byte(0) == 0xF4 && byte(1) > 0x8F) return 0;  // beyond Unicode
    return 4;
  }
  return 0;
}

void AppendUtf8(std::uint32_t character, std::string& text) {
  const auto add = [&text](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (character < 0x80) return add(character);
  if (character < 0x800) {
    add(0xC0 | (character >> 6));
  } else {
    if (character < 0x10000) {
      add(0xE0 | (character >> 12));
    } else {
      add(0xF0 | (character >> 18));
      add(0x80 | ((character >> 12) & 0x3F));
    }
    add(0x80 | ((character >> 6) & 0x3F));
  }
  add(0x80 | (character & 0x3F));
}

}  // namespace fairlead
