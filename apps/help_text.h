// How help is laid out: what an option does stands beside it, wrapped within 80 columns.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <string_view>

namespace fairlead {

inline constexpr std::size_t kHelpWidth = 80;

// The words of a text in lines of at most so many columns, the first after `first` columns that
// are taken, all others indented. A word that is too long has a line to itself.
std::string Wrapped(std::string_view text, std::size_t first, std::size_t indent,
                    std::size_t width = kHelpWidth);

// Sentences that are too wide go on in the next line; rows of tables stay as they are.
std::string WithinWidth(std::string_view text);

// In single quotes, for a shell.
std::string InShellQuotes(std::string_view text);

// "-o,--output table|json", as help and manual name it.
std::string OptionTitle(const CLI::Option& option);

class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommand(const CLI::App* verb) const override;
  // What is too wide is laid out anew: sentences as paragraphs, commands with a backslash where
  // they go on.
  std::string make_footer(const CLI::App* app) const override;
};

// The table of verbs and options in other forms than help: a manual page, and what shells complete.
// All of it is made from the command line's own description.

// For man(1): section 1, in roff.
std::string ManualPage(const CLI::App& app);

// For bash, zsh or fish. Precondition: one of these.
std::string Completion(const CLI::App& app, std::string_view shell);

}  // namespace fairlead
