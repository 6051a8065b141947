// fairlead: one program, verbs like kubectl's.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "apps/command_line.h"
#include "apps/verbs.h"

namespace fairlead {
namespace {

// How many bytes of the text are its first character in UTF-8; 0 if it has none.
std::size_t CharacterLength(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const std::size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (length > text.size()) return 0;
  for (char c : text.substr(1, length - 1)) {
    if ((static_cast<unsigned char>(c) & 0xc0) != 0x80) return 0;
  }
  return length;
}

// Messages about bad input quote it, whatever it is: they stay one readable line.
std::string OneLine(std::string_view message) {
  constexpr std::size_t kLongest = 1000;
  constexpr std::size_t kEnd = 300;  // says what was expected
  std::string shortened;
  if (message.size() > kLongest) {
    shortened = message.substr(0, kLongest - kEnd);
    shortened += " [...] ";
    message = shortened += message.substr(message.size() - kEnd);
  }
  std::string line;
  while (!message.empty()) {
    const std::size_t length = CharacterLength(message);
    const auto first = static_cast<unsigned char>(message.front());
    if (length == 0 || first < 0x20 || first == 0x7f) {
      line += fmt::format("\\x{:02x}", first);
      message.remove_prefix(1);
    } else {
      line += message.substr(0, length);
      message.remove_prefix(length);
    }
  }
  return line;
}

}  // namespace

int Complain(const Error& error, int status) {
  fmt::print(stderr, "{}\n", status == kBadInput ? OneLine(error.message) : error.message);
  return status;
}

}  // namespace fairlead

int main(int argc, char** argv) {
  const fairlead::ParsedCommandLine parsed = fairlead::ParseCommandLine(argc, argv);
  if (!parsed.command.has_value()) return parsed.exit_status;
  try {
    return std::visit([](const auto& options) { return fairlead::Run(options); }, *parsed.command);
  } catch (const std::bad_alloc&) {
    return fairlead::Complain({"out of memory; nothing was left half-written on purpose: remove "
                               "the output files of this run"},
                              fairlead::kCouldNotGoOn);
  }
}
