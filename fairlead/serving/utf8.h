// Characters in UTF-8, one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fairlead {

// How many bytes the character at the front of a text has, which is not empty; 0 if it is none.
std::size_t Utf8Length(std::string_view text);

// The number of a character: up to 0x10FFFF, and no half of a pair.
void AppendUtf8(std::uint32_t character, std::string& text);

}  // namespace fairlead
