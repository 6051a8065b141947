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
#include <vector>

#include "apps/command_line_parts.h"
#include "apps/command_table.h"
#include "apps/help_text.h"
#include "apps/output_file.h"
#include "apps/verbs.h"
#include "fairlead/base/units.h"

namespace fairlead {
namespace {

void AddSuite(CLI::App& app, SuiteOptions& options) {
  CLI::App* verb = app.add_subcommand(
      "suite", "runs every policy on scenarios drawn by chance from stated ranges");
  verb->add_option("--scenarios", options.scenarios, "how many; 20 unless given")
      ->check(Whole(1, 100'000));
  verb->add_option("--seed", options.seed, "of the drawing: other seeds are other scenarios")
      ->check(Whole(0, INT64_MAX));
  verb->add_option("--first", options.first, "the number of the first; they count up from it")
      ->check(Whole(1, 1'000'000'000));
  verb->add_flag("--tuning", options.tuning,
                 "draws scenarios for tuning, none of which is ever drawn for reporting");
  verb->add_option("--policy", options.policies,
                   "A,B,...; all: each as it is and, where that differs, with drop=early");
  verb->add_option("--policy-file", options.policy_file,
                   "more of them, one a line; lines that start with # are passed over");
  verb->add_option("--seeds", options.seeds, "runs of each policy in each scenario; 3 unless given")
      ->check(Whole(1, 1'000));
  verb->add_option("--jobs", options.jobs, "runs at a time; one per core unless given")
      ->check(Whole(1, 4096));
  verb->add_option("--write", options.folder,
                   "keeps the scenarios in this folder, for fairlead simulate; made if need be");
  verb->add_option("--report", options.report, "all results as one HTML page with figures");
  AddForm(verb, options.form);
  verb->footer(
      "\nScenario 17 of a seed is the same however many are drawn. Platforms are modelled and\n"
      "measured, with 1 to 64 accelerators, 2 to 500 tenants, loads of 0.5 to 1.4, deadlines of 2\n"
      "to 40 times the latency alone; docs/guide/suite.md states all ranges, and how to read the "
      "result.\n"
      "A scenario takes all policies about 6 s for each seed and core.\n"
      "\nExamples:\n"
      "  fairlead suite --scenarios 100 --report suite.html\n"
      "  fairlead suite --seed 7 --policy edf-h:drop=early,edf-share -o json\n"
      "  fairlead suite --first 17 --scenarios 1 --write drawn\n"
      "  fairlead simulate drawn/suite-1-17.yaml --policy all --seeds 3   # one of them again\n");
}

void AddCost(CLI::App& app, CostOptions& options) {
  CLI::App* verb =
      app.add_subcommand("cost", "what layers cost on accelerators: latency, traffic, energy");
  auto* networks = verb->add_option("network", options.networks,
                                    "built-in networks, or files that end in .onnx");
  verb->add_option("--layers", options.layers,
                   "layers by shape, as CSV "
                   "(network,layer,kind,n,k,c,p,q,r,s,stride,groups), instead of networks")
      ->excludes(networks);
  verb->add_option("--on", options.accelerators,
                   "kinds of accelerators, or files that end in .yaml: A,B,...")
      ->delimiter(',')
      ->required();
  verb->add_option("--batch", options.batch, "inputs at a time")->check(Whole(1, 1024));
  verb->add_option("--units", options.units,
                   "cores or multiprocessors, where there are several; all unless given")
      ->check(Whole(1, 65536));
  verb->add_option("--fill-and-drain", options.fill_and_drain,
                   "cycles for each pass of a tile through an array (a systolic one of 16x16: 46)")
      ->check(Whole(0, 1'000'000));
  verb->add_option("--html", options.html, "writes a page with roofline charts");
  AddForm(verb, options.form, {"table", "csv", "json", "profile"});
  verb->footer(
      "\nExamples:\n"
      "  fairlead cost resnet50 --on simba,eyeriss,gemmini\n"
      "  fairlead cost model.onnx --on gemmini,mine.yaml --html rooflines.html\n"
      "  fairlead cost --layers shapes.csv --on simba -o csv\n"
      "  fairlead cost resnet50 --on simba,mine.yaml -o profile > profile.csv   # for scenarios\n"
      "`fairlead networks` and `fairlead accelerators` list what is built in.\n");
}

void AddProfile(CLI::App& app, ProfileOptions& options) {
  CLI::App* verb = app.add_subcommand(
      "profile", "measures this machine: networks alone and together, layer by layer");
  verb->add_option("network", options.networks,
                   "built-in networks, or files that end in .onnx; with @gentle behind the name in "
                   "a version that touches less memory")
      ->required();
  verb->add_option("--out", options.out, "the folder for all tables; made if need be")->required();
  verb->add_option("--partitions", options.partitions,
                   "the cores of each partition, such as 4,2,2; two halves unless given");
  verb->add_option("--cores", options.cores, "that are cut into partitions, such as 0-7");
  verb->add_option("--instructions", options.instructions,
                   "a cap for each partition or for all: sse41, avx, avx2, avx512 or none");
  verb->add_option("--batch", options.batches, "inputs at a time: 1,4,...; mixes take the smallest")
      ->delimiter(',')
      ->check(Whole(1, 1024));
  verb->add_option("--repetitions", options.repetitions,
                   "visits to everything, in rounds; 9 unless given")
      ->check(Whole(1, 1000));
  verb->add_option("--coruns", options.coruns, "layers beside layers to draw; 200 unless given")
      ->check(Whole(0, 1'000'000));
  verb->add_option("--mixes", options.mixes, "networks beside networks to draw; 12 unless given")
      ->check(Whole(0, 100'000));
  verb->add_option("--random-layers", options.random_layers,
                   "layers to draw by chance, to learn slowdowns from: co-runs are then of these, "
                   "and a tenth more of networks' layers")
      ->check(Whole(0, 10'000));
  verb->add_option("--seed", options.seed, "of what is drawn")->check(Whole(0, INT64_MAX));
  verb->add_option("--visit", options.visit, "how long a network repeats; 300ms unless given");
  verb->add_option("--time", options.time,
                   "such as 60s: no round begins that would end later; the first always runs");
  verb->add_flag("--first-of-alike", options.first_of_alike,
                 "of partitions that are alike measures the first alone, for all of them");
  verb->add_flag("--no-hand-overs", options.no_hand_overs,
                 "leaves out what it costs to go on with a job");
  verb->add_flag("--quick", options.quick, "3 rounds of shorter visits, 40 co-runs");
  AddForm(verb, options.form);
  verb->footer(
      "\nExamples:\n"
      "  fairlead profile resnet50 mobilenet-v2 googlenet --out measured\n"
      "  fairlead profile model.onnx --partitions 4,2,2 --instructions avx512,avx2,avx2 --out m\n"
      "  fairlead profile alexnet vgg16 vgg16@gentle --random-layers 200 --coruns 2000 --out m\n"
      "docs/guide/profile.md says what the files mean, and how to measure well.\n");
}

void AddImport(CLI::App& app, ImportOptions& options) {
  CLI::App* verb = app.add_subcommand("import", "makes a requests file of a public trace");
  verb->add_option("format", options.format, "azure-functions-2019 or alibaba-pai-2020")
      ->required()
      ->check(CLI::IsMember({"azure-functions-2019", "alibaba-pai-2020"}));
  verb->add_option("file", options.file,
                   "invocations_per_function_md.anon.dNN.csv, or pai_job_table.csv")
      ->required();
  verb->add_option("--tasks", options.tasks, "pai_task_table.csv: a request for each task");
  verb->add_option("--out", options.out, "the requests file to write")->required();
  verb->add_option("--networks", options.networks, "A,B,...: dealt in turn")->required();
  verb->add_option("--deadline", options.deadline, "of every request")->default_str("50ms");
  verb->add_option("--scale", options.scale, "so many requests for each one of the trace")
      ->check(Number(1e-9, 1000));
  verb->add_option("--speedup", options.speedup, "so much faster than the trace")
      ->check(Number(1e-3, 1e9));
  verb->add_option("--top", options.top, "only so many tenants, those who ask most")
      ->check(Whole(1, 1'000'000'000));
  verb->add_option("--seed", options.seed, "of the arrivals within a minute, and of the scale")
      ->check(Whole(0, INT64_MAX));
  verb->footer(
      "\nExample:\n  fairlead import azure-functions-2019 invocations.csv --top 100 --scale 0.01 "
      "\\\n"
      "      --networks alexnet,resnet50 --deadline 50ms --out requests.csv\n"
      "docs/guide/traces.md says where the traces are and what becomes of their columns.\n");
}

void AddLists(CLI::App& app, ListOptions& options) {
  struct Verb {
    const char* name;
    const char* help;
    Listing what;
  };
  for (const Verb& entry :
       {Verb{"policies", "lists the scheduling policies and their options, or describes one",
             Listing::kPolicies},
        Verb{"networks", "lists the built-in networks, or the layers of one", Listing::kNetworks},
        Verb{"accelerators", "lists the built-in kinds of accelerators, or describes one",
             Listing::kAccelerators},
        Verb{"mechanisms", "lists the mechanisms of fairlead share and their options",
             Listing::kMechanisms}}) {
    CLI::App* verb = app.add_subcommand(entry.name, entry.help);
    AddForm(verb, options.form);
    std::string examples = fmt::format("\nExample:\n  fairlead {} -o json\n", entry.name);
    if (entry.what == Listing::kPolicies) {
      verb->add_option("policy", options.one, "describes this one");
      examples += "  fairlead policies edf-h\n";
    }
    if (entry.what == Listing::kNetworks) {
      verb->add_option("network", options.one, "lists the layers of this one; also FILE.onnx");
      examples += "  fairlead networks resnet50\n  fairlead networks my.onnx\n";
    }
    if (entry.what == Listing::kAccelerators) {
      verb->add_option("accelerator", options.one,
                       "prints the description of this one; also what FILE.yaml comes to");
      examples +=
          "  fairlead accelerators simba > mine.yaml   # a start for a description of your own\n";
    }
    verb->footer(examples);
    verb->parse_complete_callback([&options, what = entry.what] { options.what = what; });
  }
}

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
    command += '\'';
    for (char c : word) command += c == '\'' ? std::string("'\\''") : std::string(1, c);
    command += '\'';
  }
  return command;
}

void AddCheck(CLI::App& app, CheckOptions& check) {
  CLI::App* check_verb = app.add_subcommand("check", "validates a scenario without running it");
  check_verb->add_option("scenario", check.scenario, "SCENARIO.yaml")->required();
  check_verb->footer("\nExample:\n  fairlead check scenarios/fairness.yaml\n");
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
struct AllOptions {
  SimulateOptions simulate;
  SuiteOptions suite;
  QuoteCommandOptions quote;
  ProvisionCommandOptions provision;
  ShareOptions share;
  TrainCommandOptions train;
  ExperimentOptions experiment;
  InterferenceOptions interference;
  AssignOptions assign;
  ReplayOptions replay;
  WhyOptions why;
  CutOptions cut;
  CheckOptions check;
  CostOptions cost;
  ProfileOptions profile;
  ImportOptions import;
  ListOptions list;
  LoadOptions load;
  TopOptions top;
  ServeOptions serve;
  TenantOptions tenant;
  AgreementOptions agreement;
  std::string shell;  // to complete for
};

void AddAll(CLI::App& app, AllOptions& all) {
  app.formatter(std::make_shared<HelpFormatter>());
  app.require_subcommand(1);
  app.set_version_flag("--version", "fairlead " FAIRLEAD_VERSION);
  app.footer("\n`fairlead help VERB` explains a verb, with an example.\n");
  AddSimulate(app, all.simulate);
  AddSuite(app, all.suite);
  AddQuote(app, all.quote);
  AddProvision(app, all.provision);
  AddShare(app, all.share);
  AddTrain(app, all.train);
  AddExperiment(app, all.experiment);
  AddInterference(app, all.interference);
  AddAssign(app, all.assign);
  AddRecordings(app, all.replay, all.why, all.cut);
  AddCheck(app, all.check);
  AddCost(app, all.cost);
  AddProfile(app, all.profile);
  AddImport(app, all.import);
  AddLists(app, all.list);
  AddServing(app, all.serve, all.load, all.tenant, all.agreement);
  AddTop(app, all.top);
  AddTable(app, all.shell);
}

Command Chosen(const std::string& verb, const AllOptions& all) {
  if (verb == "simulate") return all.simulate;
  if (verb == "suite") return all.suite;
  if (verb == "quote") return all.quote;
  if (verb == "provision") return all.provision;
  if (verb == "share") return all.share;
  if (verb == "train") return all.train;
  if (verb == "experiment") return all.experiment;
  if (verb == "interference") return all.interference;
  if (verb == "assign") return all.assign;
  if (verb == "replay") return all.replay;
  if (verb == "why") return all.why;
  if (verb == "cut") return all.cut;
  if (verb == "check") return all.check;
  if (verb == "cost") return all.cost;
  if (verb == "profile") return all.profile;
  if (verb == "import") return all.import;
  if (verb == "serve") return all.serve;
  if (verb == "load") return all.load;
  if (verb == "top") return all.top;
  if (verb == "tenant") return all.tenant;
  if (verb == "agreement") return all.agreement;
  return all.list;
}

}  // namespace

ParsedCommandLine ParseCommandLine(int argc, char** argv) {
  CLI::App app{
      "Fairlead: fair, deadline-keeping scheduling of many tenants' neural networks on\n"
      "unequal accelerators that share one memory.",
      "fairlead"};
  AllOptions all;
  AddAll(app, all);
  if (const auto status = NothingToRun(app, argc, argv); status.has_value())
    return {.command = {}, .exit_status = *status};
  const std::string verb = app.get_subcommands().front()->get_name();
  if (const auto status = AboutTheTable(app, verb, all.shell); status.has_value())
    return {.command = {}, .exit_status = *status};
  all.simulate.command = all.suite.command = all.quote.command = all.provision.command =
      all.experiment.command = ShellCommand(argc, argv);
  return {.command = Chosen(verb, all)};
}

}  // namespace fairlead
