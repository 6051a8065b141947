#include "apps/help_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace fairlead {
namespace {

constexpr std::size_t kColumn = 24;  // where descriptions begin

std::string Line(const std::string& title, std::string_view text) {
  std::string line = "  " + title;
  if (text.empty()) return line + "\n";
  if (line.size() + 2 > kColumn) {
    line += "\n" + std::string(kColumn, ' ');
  } else {
    line.resize(kColumn, ' ');
  }
  return line + Wrapped(text, kColumn, kColumn) + "\n";
}

}  // namespace

std::string Wrapped(std::string_view text, std::size_t first, std::size_t indent,
                    std::size_t width) {
  std::string wrapped;
  std::size_t column = first;
  bool fresh = true;  // no word stands in this line yet
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    const auto letters = static_cast<std::size_t>(
        std::ranges::count_if(word, [](char c) { return (c & 0xC0) != 0x80; }));
    if (!fresh && column + 1 + letters > width) {
      wrapped += "\n" + std::string(indent, ' ');
      column = indent;
      fresh = true;
    }
    if (!fresh) wrapped += ' ';
    wrapped += word;
    column += letters + (fresh ? 0 : 1);
    fresh = false;
  }
  return wrapped;
}

namespace {

// A line that begins with spaces: a command of an example, or a row of a list.
std::string WrappedRow(std::string_view line) {
  if (line.size() <= kHelpWidth) return std::string(line) + "\n";
  const std::size_t indent = line.find_first_not_of(' ');
  const bool command = line.substr(indent).starts_with("fairlead ");
  std::string text = Wrapped(line.substr(indent), indent, indent + 4, kHelpWidth - 2);
  if (command) {
    for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 3))
      text.insert(at, " \\");
  }
  return std::string(indent, ' ') + text + "\n";
}

std::string Reflowed(std::string_view text) {
  std::string flowed;
  std::string paragraph;
  const auto flush = [&] {
    if (!paragraph.empty()) flowed += Wrapped(paragraph, 0, 0) + "\n";
    paragraph.clear();
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.starts_with(' ')) {
      flush();
      flowed += line.empty() ? "\n" : WrappedRow(line);
      continue;
    }
    paragraph += paragraph.empty() ? "" : " ";
    paragraph += line;
    if (line.ends_with(':')) flush();
  }
  flush();
  return flowed;
}

}  // namespace

std::string WithinWidth(std::string_view text) {
  std::string narrow;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    const bool row = line.find("   ", indent) != std::string_view::npos;
    narrow += std::string(indent, ' ');
    narrow += row || line.size() <= kHelpWidth ? std::string(line.substr(indent))
                                               : Wrapped(line.substr(indent), indent, indent + 2);
    narrow += '\n';
  }
  return narrow;
}

std::string OptionTitle(const CLI::Option& option) {
  std::string title = option.get_name(option.get_positional(), true);
  if (option.get_type_size() == 0) return title;  // a flag
  const std::string type = option.get_type_name();
  if (type.find('|') != std::string::npos) title += " " + type;
  return title;
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  std::string text = option->get_description();
  if (option->get_required() && !is_positional) text += " (required)";
  return Line(is_positional ? option->get_name(true) : OptionTitle(*option), text);
}

std::string HelpFormatter::make_footer(const CLI::App* app) const {
  return Reflowed(app->get_footer());
}

std::string HelpFormatter::make_subcommand(const CLI::App* verb) const {
  return Line(verb->get_name(), verb->get_description());
}

}  // namespace fairlead
