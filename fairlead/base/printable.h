// Which texts may be shown as they are: names go from files to terminals, tables and spreadsheets.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fairlead {

// How many bytes of the text are its first character, in UTF-8; 0 if there is none, or it is not
// printable (a control character, an escape sequence).
std::size_t PrintableLength(std::string_view text);

// The text with \x1b for each byte that is part of no printable character: one line.
std::string OnOneLine(std::string_view text);

// What keeps a text from being a name, "" if nothing does: it is of 1 to `longest` bytes,
// printable, and does not begin like the formula of a spreadsheet.
std::string WhyNoName(std::string_view text, std::size_t longest);

}  // namespace fairlead
