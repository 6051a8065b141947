#include "apps/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "apps/command_line_parts.h"
#include "apps/files.h"
#include "apps/help_text.h"
#include "apps/verbs.h"
#include "fairlead/base/units.h"

namespace fairlead {
namespace {

// What was meant perhaps, by a word that is not known here.
std::string Explain(const CLI::App& app, const std::string& word) {
  std::vector<std::string> known;
  if (word.starts_with('-')) {
    for (const CLI::Option* option : app.get_options())
      if (option->nonpositional()) known.push_back("--" + option->get_lnames().front());
  } else {
    for (const CLI::App* verb : app.get_subcommands({})) known.push_back(verb->get_name());
    if (known.empty()) return fmt::format("unexpected argument '{}'", word);
  }
  const std::vector<std::string_view> views(known.begin(), known.end());
  if (word.empty()) return "no verb" + Suggest(word, views);
  const std::string_view what = word.starts_with('-') ? "option" : "verb";
  return fmt::format("unknown {} '{}'{}", what, word, Suggest(word, views));
}

// In one line.
std::string Explain(const CLI::App& app, const CLI::ParseError& error) {
  const auto verbs = app.get_subcommands();
  const CLI::App& at = verbs.empty() ? app : *verbs.front();
  std::string what = error.what();
  if (const std::vector<std::string> unknown = at.remaining(); !unknown.empty()) {
    what = Explain(at, unknown.front());
  } else if (verbs.empty()) {
    what = Explain(app, std::string());
  }
  const std::string command = verbs.empty() ? "fairlead" : "fairlead " + at.get_name();
  return fmt::format("{}: {} (see '{} --help')", command, what, command);
}

// The command as a shell reads it: words with anything but harmless characters are quoted.
std::string ShellCommand(int argc, char** argv) {
  std::string command = "fairlead";
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const auto harmless = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             std::string_view("-_./,:=+@%").find(c) != std::string_view::npos;
    };
    command += ' ';
    if (!word.empty() && std::ranges::all_of(word, harmless)) {
      command += word;
      continue;
    }
    command += InShellQuotes(word);
  }
  return command;
}

// The exit status where help was asked for or the usage is wrong; everything is printed then.
std::optional<int> NothingToRun(CLI::App& app, int argc, char** argv) {
  try {
    // `help VERB` is `VERB --help`.
    std::vector<const char*> words(argv, argv + argc);
    if (argc > 1 && std::string_view(argv[1]) == "help") {
      words.erase(words.begin() + 1);
      words.resize(std::min<std::size_t>(words.size(), 2));
      words.push_back("--help");
    }
    app.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::ParseError& error) {
    return error.get_exit_code() == 0 ? app.exit(error)
                                      : Complain({Explain(app, error)}, kBadInput);
  }
  return std::nullopt;
}

// Verbs about the command line itself. The status where one of them was asked for; it is printed.
std::optional<int> AboutTheTable(const CLI::App& app, const std::string& verb,
                                 const std::string& shell) {
  if (verb != "completion" && verb != "manual") return std::nullopt;
  const std::string text = verb == "manual" ? ManualPage(app) : Completion(app, shell);
  const Status printed = PrintOut(text);
  return printed.has_value() ? kDone : Complain(printed.error(), kCouldNotGoOn);
}

void AddTable(CLI::App& app, std::string& shell) {
  CLI::App* completion = app.add_subcommand("completion", "prints what a shell completes");
  completion->add_option("shell", shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  completion->footer(
      "\nExamples:\n  source <(fairlead completion bash)\n"
      "  fairlead completion fish > ~/.config/fish/completions/fairlead.fish\n");
  app.add_subcommand("manual", "prints the manual page")
      ->footer("\nExample:\n  fairlead manual | man -l -\n");
}

// What every verb may be asked for.
template <typename>
struct TupleOf;
template <typename... Options>
struct TupleOf<std::variant<Options...>> {
  using type = std::tuple<Options...>;
};
using AllOptions = TupleOf<Command>::type;

// Adds the verbs of these options, which say once they were parsed that it is them.
template <typename Options>
void AddVerbs(CLI::App& app, Options& options, std::optional<Command>& chosen) {
  const std::size_t before = app.get_subcommands({}).size();
  AddVerb(app, options);
  const std::vector<CLI::App*> verbs = app.get_subcommands({});
  for (std::size_t verb = before; verb < verbs.size(); ++verb)
    verbs[verb]->final_callback([&] { chosen = options; });
}

}  // namespace

ParsedCommandLine ParseCommandLine(int argc, char** argv) {
  CLI::App app{
      "Fairlead: fair, deadline-keeping scheduling of many tenants' neural networks on\n"
      "unequal accelerators that share one memory.",
      "fairlead"};
  app.formatter(std::make_shared<HelpFormatter>());
  app.require_subcommand(1);
  app.set_version_flag("--version", "fairlead " FAIRLEAD_VERSION);
  app.footer("\n`fairlead help VERB` explains a verb, with an example.\n");
  AllOptions all;
  std::optional<Command> chosen;
  std::apply([&](auto&... options) { (AddVerbs(app, options, chosen), ...); }, all);
  std::string shell;  // to complete for
  AddTable(app, shell);
  if (const auto status = NothingToRun(app, argc, argv); status.has_value())
    return {.command = {}, .exit_status = *status};
  const std::string verb = app.get_subcommands().front()->get_name();
  if (const auto status = AboutTheTable(app, verb, shell); status.has_value())
    return {.command = {}, .exit_status = *status};
  std::visit(
      [&](auto& options) {
        if constexpr (requires { options.command; }) options.command = ShellCommand(argc, argv);
      },
      *chosen);
  return {.command = std::move(chosen)};
}

}  // namespace fairlead
