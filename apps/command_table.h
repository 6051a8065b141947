// The table of verbs and options in other forms than help: a manual page, and what shells complete.
// All of it is made from the command line's own description.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

namespace fairlead {

// For man(1): section 1, in roff.
std::string ManualPage(const CLI::App& app);

// For bash, zsh or fish. Precondition: one of these.
std::string Completion(const CLI::App& app, std::string_view shell);

}  // namespace fairlead
