#include "apps/help_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "fairlead/world/policy_registry.h"

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

std::string InShellQuotes(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
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

namespace {

std::vector<const CLI::App*> VerbsOf(const CLI::App& app) { return app.get_subcommands({}); }

// "--policy", "-o", "--output"
std::vector<std::string> NamesOf(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

std::vector<const CLI::Option*> OptionsOf(const CLI::App& verb) {
  return verb.get_options([](const CLI::Option* option) { return option->nonpositional(); });
}

// The words of a choice: "table|json" as table and json.
std::vector<std::string> ChoicesOf(const CLI::Option& option) {
  std::vector<std::string> words;
  const std::string type = option.get_type_name();
  if (type.find('|') == std::string::npos) return words;
  for (std::size_t at = 0; at <= type.size();) {
    const std::size_t end = std::min(type.find('|', at), type.size());
    words.push_back(type.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

std::vector<std::string> PolicyNames() {
  std::vector<std::string> names = {"all"};
  for (const PolicyEntry& policy : Policies()) names.emplace_back(policy.name);
  return names;
}

bool TakesPolicy(const CLI::Option& option) { return option.check_lname("policy"); }

// What roff would take for a request, or for an escape.
std::string Roff(std::string_view text) {
  std::string escaped;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) escaped += "\\&";
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else {
      escaped += c;
    }
    line_begins = c == '\n';
  }
  return escaped;
}

std::string Bash(const CLI::App& app) {
  std::vector<std::string> verbs;
  std::string cases;
  std::string values;
  for (const CLI::App* verb : VerbsOf(app)) {
    verbs.push_back(verb->get_name());
    std::vector<std::string> names;
    for (const CLI::Option* option : OptionsOf(*verb)) {
      const std::vector<std::string> own = NamesOf(*option);
      names.insert(names.end(), own.begin(), own.end());
      const auto choices = TakesPolicy(*option) ? PolicyNames() : ChoicesOf(*option);
      if (choices.empty()) continue;
      for (const std::string& name : own)
        values += fmt::format("    {}:{}) words={} ;;\n", verb->get_name(), name,
                              InShellQuotes(fmt::format("{}", fmt::join(choices, " "))));
    }
    cases += fmt::format("    {}) options='{}' ;;\n", verb->get_name(), fmt::join(names, " "));
  }
  return fmt::format(
      "# bash completion for fairlead: fairlead completion bash\n"
      "_fairlead() {{\n"
      "  local word=\"${{COMP_WORDS[COMP_CWORD]}}\" before=\"${{COMP_WORDS[COMP_CWORD-1]}}\"\n"
      "  local verb=\"${{COMP_WORDS[1]}}\" options='' words=''\n"
      "  COMPREPLY=()\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W '{} help --help --version' -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case \"$verb:$before\" in\n{}  esac\n"
      "  if [ -n \"$words\" ]; then\n"
      "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case \"$verb\" in\n{}"
      "    help) options='{}' ;;\n  esac\n"
      "  case \"$word\" in\n"
      "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
      "    *) if [ \"$verb\" = help ]; then\n"
      "         COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
      "       else\n"
      "         COMPREPLY=($(compgen -f -- \"$word\"))\n"
      "       fi ;;\n"
      "  esac\n"
      "}}\n"
      "complete -o filenames -F _fairlead fairlead\n",
      fmt::join(verbs, " "), values, cases, fmt::join(verbs, " "));
}

// zsh reads "[text]" in its specifications.
std::string ZshText(std::string_view text) {
  std::string plain;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':') plain += '\\';
    plain += c;
  }
  return plain;
}

std::string Zsh(const CLI::App& app) {
  std::string verbs;
  std::string cases;
  for (const CLI::App* verb : VerbsOf(app)) {
    verbs += fmt::format("    {}\n",
                         InShellQuotes(ZshText(verb->get_name()) + ":" + verb->get_description()));
    cases += fmt::format("    {}) _arguments '*:file:_files'", verb->get_name());
    for (const CLI::Option* option : OptionsOf(*verb)) {
      const auto choices = TakesPolicy(*option) ? PolicyNames() : ChoicesOf(*option);
      for (const std::string& name : NamesOf(*option)) {
        std::string spec = fmt::format("{}[{}]", name, ZshText(option->get_description()));
        if (option->get_type_size() > 0)
          spec += choices.empty() ? ":value:_files"
                                  : fmt::format(":value:({})", fmt::join(choices, " "));
        cases += " \\\n      " + InShellQuotes(spec);
      }
    }
    cases += " ;;\n";
  }
  return fmt::format(
      "#compdef fairlead\n# zsh completion for fairlead: fairlead completion zsh\n"
      "_fairlead() {{\n  local -a verbs=(\n{}  )\n"
      "  if (( CURRENT == 2 )); then\n    _describe verb verbs\n    return\n  fi\n"
      "  local verb=$words[2]\n  shift words\n  (( CURRENT-- ))\n"
      "  case $verb in\n{}    help) _describe verb verbs ;;\n  esac\n}}\n_fairlead \"$@\"\n",
      verbs, cases);
}

std::string Fish(const CLI::App& app) {
  std::string text = "# fish completion for fairlead: fairlead completion fish\n";
  std::vector<std::string> names;
  for (const CLI::App* verb : VerbsOf(app)) {
    names.push_back(verb->get_name());
    text += fmt::format("complete -c fairlead -n __fish_use_subcommand -f -a {} -d {}\n",
                        verb->get_name(), InShellQuotes(verb->get_description()));
    for (const CLI::Option* option : OptionsOf(*verb)) {
      std::string line =
          fmt::format("complete -c fairlead -n '__fish_seen_subcommand_from {}'", verb->get_name());
      for (const std::string& name : option->get_snames()) line += " -s " + name;
      for (const std::string& name : option->get_lnames()) line += " -l " + name;
      const auto choices = TakesPolicy(*option) ? PolicyNames() : ChoicesOf(*option);
      if (option->get_type_size() > 0) line += " -r";
      if (!choices.empty())
        line += " -f -a " + InShellQuotes(fmt::format("{}", fmt::join(choices, " ")));
      text += line + " -d " + InShellQuotes(option->get_description()) + "\n";
    }
  }
  return text +
         fmt::format("complete -c fairlead -n '__fish_seen_subcommand_from help' -f -a '{}'\n",
                     fmt::join(names, " "));
}

}  // namespace

std::string ManualPage(const CLI::App& app) {
  std::string page = fmt::format(
      ".TH FAIRLEAD 1 \"\" \"fairlead {}\" \"User Commands\"\n.SH NAME\nfairlead \\- fair, "
      "deadline\\-keeping scheduling of many tenants' neural networks\n.SH SYNOPSIS\n"
      ".B fairlead\nVERB [ARGUMENT ...] [\\-\\-OPTION ...]\n.SH DESCRIPTION\n{}\n",
      FAIRLEAD_VERSION, Roff(app.get_description()));
  for (const CLI::App* verb : VerbsOf(app)) {
    page += fmt::format(".SH {}\n.B fairlead {}\n.br\n{}\n", Roff(verb->get_name()),
                        Roff(verb->get_name()), Roff(verb->get_description()));
    for (const CLI::Option* option : verb->get_options({})) {
      const std::string title =
          option->nonpositional() ? OptionTitle(*option) : option->get_name(true);
      page += fmt::format(".TP\n.B {}\n{}\n", Roff(title), Roff(option->get_description()));
    }
    if (const std::string footer = verb->get_footer(); !footer.empty())
      page += fmt::format(".PP\n.nf\n{}\n.fi\n", Roff(footer));
  }
  return page +
         ".SH EXIT STATUS\n0 done; 1 done, and an objective was not met, or a replay differed; 2 "
         "bad input; 3 it could not go on; 128 and the signal's number: interrupted.\n";
}

std::string Completion(const CLI::App& app, std::string_view shell) {
  if (shell == "bash") return Bash(app);
  return shell == "zsh" ? Zsh(app) : Fish(app);
}

}  // namespace fairlead
