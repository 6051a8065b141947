// What each verb may be asked for: its options, and its help text.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "apps/command_line_parts.h"
#include "apps/help_text.h"
#include "fairlead/domain/agreement_terms.h"
#include "fairlead/regression/regressor.h"
#include "fairlead/scenario/files.h"
#include "fairlead/world/mechanism_registry.h"
#include "fairlead/world/policy_registry.h"

namespace fairlead {
namespace {

// A whole number between two others.
struct Limits {
  std::int64_t low;
  std::int64_t high;
};
template <typename Number>
CLI::Option* AddWhole(CLI::App* verb, const char* name, Number& number, const char* help,
                      const Limits& limits) {
  return verb->add_option(name, number, help)->check(Whole(limits.low, limits.high));
}

std::string PolicyHelp() {
  std::string text = "Policies (--policy A,B,... or all; all: as they are and with drop=early):\n";
  std::size_t width = 0;
  for (const PolicyEntry& policy : Policies()) width = std::max(width, policy.name.size() + 2);
  for (const PolicyEntry& policy : Policies()) {
    text += fmt::format("  {:<{}}{}\n", policy.name, width,
                        Wrapped(policy.description, width + 2, width + 2));
  }
  return text +
         "Options follow a colon: --policy 'edf-h:drop=early;wait=never'. `fairlead policies`\n"
         "lists them.\n";
}

// What stands below the options: apps/help/VERB.txt.
std::string HelpOf(std::string_view verb) {
  return "\n" + std::string(EmbeddedText(fmt::format("apps/help/{}.txt", verb)));
}
void AddFooter(CLI::App* verb) { verb->footer(HelpOf(verb->get_name())); }

// What is written beside the table.
void AddFiles(CLI::App* verb, SimulateOptions& options) {
  verb->add_option(
      "--outcomes", options.outcomes,
      "how each request ended, as CSV; with several runs F.<policy>.<seed>.csv; - prints it, "
      "and the table to standard error (so do the next three)");
  auto* trace =
      verb->add_option("--trace", options.trace, "a timeline for ui.perfetto.dev, as JSON");
  verb->add_option("--trace-from", options.trace_from, "leaves out what ended before, such as 20s")
      ->needs(trace);
  verb->add_option("--trace-to", options.trace_to, "leaves out what began later")->needs(trace);
  verb->add_option("--record", options.recording, "events and decisions, for replay and why");
  verb->add_option("--books", options.books, "what agreements were promised and got, as JSON");
  verb->add_option("--continue", options.continued, "books to go on from: what was owed still is");
}

void AddLive(CLI::App* verb, SimulateOptions& options) {
  auto* live =
      verb->add_option(
              "--live", options.live,
              "runs in real time instead, on a thread for each accelerator, which for each "
              "segment may sleep, spin, or run its layers on the cores that the scenario names")
          ->check(CLI::IsMember({"sleep", "spin", "run"}));
  verb->add_flag("--compare", options.compare,
                 "simulates the same beside each live run, and once more with the costs that it "
                 "showed: tenants, segments, moves")
      ->needs(live);
}

void AddJudging(CLI::App* verb, JudgingOptions& options) {
  verb->add_option("--policy", options.policy,
                   "the scenario's unless given; fairlead if that names several or none");
  AddWhole(verb, "--seed", options.seed, "the first traffic to draw; the scenario's unless given",
           {0, INT64_MAX});
  AddWhole(verb, "--seeds", options.seeds,
           "traffics to simulate; 6 to 12 unless given, as their work allows", {4, 100});
  AddWhole(verb, "--jobs", options.jobs, "runs at a time; one per core unless given", {1, 4096});
}

constexpr const char* kCutOff = "a recording without its end will do: that of a run that broke off";

}  // namespace

void AddVerb(CLI::App& app, SimulateOptions& options) {
  CLI::App* verb = app.add_subcommand("simulate", "runs a scenario under each policy");
  auto* scenario = verb->add_option("scenario", options.scenarios,
                                    "SCENARIO.yaml, or - for standard input; several are compared");
  auto* set = verb->add_option(
      "--set", options.settings,
      "KEY=VALUE instead of what the scenario says: platform.bandwidth=8GB/s, "
      "tenants.camera.rate=30/s; KEY=8,16,32GB/s runs each, several --set all combinations");
  set->allow_extra_args(false);  // a scenario may follow
  auto* profile = verb->add_option("--profile", options.profile,
                                   "costs as CSV, instead of a scenario: one accelerator for each "
                                   "kind that it names");
  auto* requests = verb->add_option("--requests", options.requests,
                                    "requests as CSV; with a scenario: instead of its own, whose "
                                    "promises stay");
  profile->needs(requests)->excludes(scenario)->excludes(set);
  verb->add_option("--plan", options.plan, "a plan as CSV; the policy is then fixed-plan")
      ->needs(profile);
  verb->add_option("--bandwidth", options.bandwidth, "of the shared memory, for example 16GB/s")
      ->needs(profile);
  verb->add_option("--sharing", options.sharing, "proportional, max-min or none")->needs(profile);
  verb->add_option("--policy", options.policies,
                   "A,B,... or all, or ./mine.so; each under the guard of the scenario, if that "
                   "has one");
  AddWhole(verb, "--seed", options.seed, "the first seed; the scenario's unless given",
           {0, INT64_MAX});
  AddWhole(verb, "--seeds", options.seeds, "how many seeds, counting up from the first",
           {1, 100'000});
  AddWhole(verb, "--jobs", options.jobs, "runs at a time; one per core unless given", {1, 4096});
  AddFiles(verb, options);
  auto* report = verb->add_option("--report", options.report,
                                  "all results as one HTML page with figures and tables");
  verb->add_option("--loads", options.loads,
                   "loads for the report's frontier, such as 0.6,0.8,1.0: runs everything at each")
      ->needs(report)
      ->excludes(profile);
  verb->add_option("--require", options.require,
                   "an objective such as 'promises_kept>=97%', 'quiet.hit_rate>=99%' or "
                   "'latency.p99<=20ms' (below); exit status 1 when it is not met");
  AddLive(verb, options);
  AddForm(verb, options.form, {"table", "wide", "json", "csv"});
  verb->footer([] { return "\n" + PolicyHelp() + HelpOf("simulate"); });
}

void AddVerb(CLI::App& app, ShareOptions& options) {
  CLI::App* verb = app.add_subcommand(
      "share", "divides accelerators among agents round by round, under each mechanism");
  verb->add_option("scenario", options.scenario, "SCENARIO.yaml")->required();
  verb->add_option("--mechanism", options.mechanisms,
                   "A,B,... or all; the scenario's unless given");
  verb->add_option(
      "--thresholds", options.thresholds,
      "what agents ask of an accelerator that they pay for: fixed:0.3, hedge, actor-critic");
  AddWhole(verb, "--seed", options.seed, "the first seed; the scenario's unless given",
           {0, INT64_MAX});
  AddWhole(verb, "--seeds", options.seeds, "how many seeds, counting up from the first",
           {1, 100'000});
  verb->add_flag("--envy", options.envy, "who would rather have what another had");
  verb->add_option(
      "--train", options.train,
      "instead: trains an actor for thresholds on the scenario and writes it here, for "
      "actor-critic:FILE");
  AddWhole(verb, "--episodes", options.episodes, "of the training; 200 unless given",
           {1, 1'000'000});
  ActorCriticOptions& learning = options.learning;
  verb->add_option("--actor-rate", learning.actor_rate,
                   "of the training: the actor's steps; 0.002 unless given")
      ->check(Number(1e-9, 1.0));
  verb->add_option("--critic-rate", learning.critic_rate,
                   "of the training: the critic's steps; 0.02 unless given")
      ->check(Number(1e-9, 1.0));
  verb->add_option("--discount", learning.discount,
                   "of the training: what the next round counts for; 0.9 unless given")
      ->check(Number(0.0, 0.9999));
  AddWhole(verb, "--hidden", learning.hidden,
           "of the training: units of the hidden layer; 16 unless given", {1, 256});
  AddForm(verb, options.form);
  verb->footer([] {
    std::string text = "\nMechanisms (not to be mixed up with the policies of simulate):\n";
    for (const MechanismEntry& mechanism : Mechanisms()) {
      text += fmt::format("  {:<18}{}\n", mechanism.name, mechanism.description);
      for (const OptionInfo& option : mechanism.options)
        text += fmt::format("{:20}{}={} [{}] {}\n", "", option.key, option.values,
                            option.default_value, option.sentence);
    }
    return text + HelpOf("share");
  });
}

void AddVerb(CLI::App& app, QuoteCommandOptions& options) {
  CLI::App* verb = app.add_subcommand(
      "quote", "can this agreement be signed? yes, no, or at most this rate or target");
  verb->add_option("scenario", options.scenario, "SCENARIO.yaml: who is there already")->required();
  verb->add_option("--agreement", options.agreements,
                   "what is asked for, written like a group in the scenario's tenants; several "
                   "times for several; without it, the scenario's own agreements are judged");
  AddJudging(verb, options);
  verb->add_flag(
      "--thorough", options.thorough,
      "simulates 20 traffics, and looks longer for the most that can be offered instead");
  verb->add_option("--report", options.report, "everything as one HTML page with figures");
  AddForm(verb, options.form);
  AddFooter(verb);
}

void AddVerb(CLI::App& app, ProvisionCommandOptions& options) {
  CLI::App* verb =
      app.add_subcommand("provision", "the smallest platform that keeps a scenario's agreements");
  verb->add_option("scenario", options.scenario, "SCENARIO.yaml")->required();
  verb->add_option("--cost", options.costs,
                   "of one accelerator of a kind, such as simba=3.5; 1 unless given");
  AddWhole(verb, "--max", options.most,
           "accelerators of each kind; twice as many as the scenario has unless given", {1, 4096});
  AddJudging(verb, options);
  verb->add_option("--report", options.report, "everything as one HTML page with a figure");
  AddForm(verb, options.form);
  AddFooter(verb);
}

void AddVerb(CLI::App& app, TrainCommandOptions& options) {
  CLI::App* verb =
      app.add_subcommand("train", "learns a policy on scenarios (runs fairlead-train)");
  verb->add_option("scenario", options.scenarios, "SCENARIO.yaml, one or several")->required();
  verb->add_option("--learner", options.learner, "rl-baseline or rl-sla")->required();
  verb->add_option("--out", options.out,
                   "FILE for the weights; FILE.checkpoint, .csv and .html stand beside it")
      ->required();
  verb->add_option("--teacher", options.teacher,
                   "whom it imitates at first; none: it learns from random weights");
  verb->add_option("--loads", options.loads, "further loads to learn at, as in 0.9,1.2");
  verb->add_option("--minutes", options.minutes, "of real time, after which it ends");
  verb->add_option("--threads", options.threads, "of simulators; all cores unless given");
  AddWhole(verb, "--seed", options.seed, "of weights, traffic and samples", {0, INT64_MAX});
  verb->add_option("--set", options.settings,
                   "NAME=NUMBER, a hyper-parameter (fairlead-train --help lists them)");
  verb->add_flag("--fresh", options.fresh, "begins anew although there is a checkpoint");
  AddFooter(verb);
}

void AddVerb(CLI::App& app, InterferenceOptions& options) {
  CLI::App* verb = app.add_subcommand(
      "interference", "learns from measurements how co-runners slow each other, and judges it");
  verb->add_option("action", options.action, "fit or evaluate")
      ->required()
      ->check(CLI::IsMember({"fit", "evaluate"}));
  verb->add_option("judged", options.judged,
                   "to evaluate: files, none, constant:1.2 or shared-bandwidth:4.8TB/s");
  verb->add_option("--model-file", options.model_file, "to evaluate: a model that fit wrote");
  verb->add_option("--machine", options.machine,
                   "a folder with layers.csv (and models.csv and networks.csv, for mixes)");
  verb->add_option("--layers", options.layers, "layers alone, as CSV");
  verb->add_option("--corun,--coruns", options.coruns, "layers beside layers, as CSV");
  verb->add_option("--models", options.models, "networks as sequences of layers, as CSV");
  verb->add_option("--networks", options.networks, "networks alone, as CSV");
  verb->add_option("--mixes", options.mixes, "networks beside networks, as CSV");
  verb->add_option("--model,--learner", options.learner, "how to learn; boosting unless given");
  verb->add_option("--mix-learner", options.mix_learner,
                   "of what mixes add to what layers teach; boosting unless given");
  AddWhole(verb, "--folds", options.folds, "of the cross-validation; 5 unless given, 0 and 1: none",
           {0, 100});
  AddWhole(verb, "--seed", options.seed, "of what is drawn", {0, INT64_MAX});
  verb->add_option("--out", options.out, "the model file that fit writes");
  verb->add_option("--report", options.report, "calibration plots as one HTML page");
  AddForm(verb, options.form);
  verb->footer([] {
    std::string text = "\nLearners:\n";
    for (const Learner& learner : Learners())
      text += fmt::format("  {:<16}{}\n", learner.name, learner.description);
    return text + HelpOf("interference");
  });
}

void AddVerb(CLI::App& app, AssignOptions& options) {
  CLI::App* verb = app.add_subcommand(
      "assign", "searches which part of each network's requests is to go to which accelerator");
  verb->add_option("scenario", options.scenario, "SCENARIO.yaml")->required();
  verb->add_option("--goal", options.goal,
                   "goodput, slo99-throughput, throughput, fairness, energy, or a mix such as "
                   "goodput:0.7+fairness:0.3; goodput unless given");
  verb->add_option("--search", options.search,
                   "sampling, local (changes of the best) or halving (short simulations first); "
                   "sampling unless given");
  AddWhole(verb, "--budget", options.budget,
           "simulations of the scenario's length; 200 unless given", {1, 1'000'000});
  verb->add_option("--route", options.route, "as in goal-directed: arrival or idle")
      ->check(CLI::IsMember({"arrival", "idle"}));
  AddWhole(verb, "--seed", options.seed,
           "of what is drawn and of the traffic; 101 unless given, for runs are judged by "
           "others",
           {0, INT64_MAX});
  verb->add_option("--out", options.out, "the ratios as CSV, for goal-directed:ratios=FILE");
  AddForm(verb, options.form);
  AddFooter(verb);
}

void AddVerb(CLI::App& app, CutOptions& cut) {
  CLI::App* verb =
      app.add_subcommand("cut", "cuts a stretch of time out of a server's log of recordings");
  verb->add_option("log", cut.log, "the folder (`recordings` in a scenario's `serve`), or a piece")
      ->required();
  auto* from = verb->add_option("--from", cut.from, "such as 2026-01-31T12:00:00Z (UTC)");
  auto* to = verb->add_option("--to", cut.to, "likewise; the log's end unless given");
  verb->add_option("--last", cut.last, "so much of the log's end, such as 5min")
      ->excludes(from)
      ->excludes(to);
  verb->add_option("--out", cut.out, "the file to write")->required();
  AddForm(verb, cut.form);
  AddFooter(verb);
}

void AddVerb(CLI::App& app, ServeOptions& options) {
  CLI::App* verb = app.add_subcommand(
      "serve", "runs a scenario's networks for clients: Open Inference Protocol");
  verb->add_option("config", options.config,
                   "a scenario with a section `serve`; without one, a demo with three tenants");
  AddWhole(verb, "--port", options.port,
           "of HTTP, instead of the scenario's; gRPC has the next one; 0: any", {0, 65535});
  verb->add_option("--policy", options.policy,
                   "the scenario's first unless given; fairlead if that names none");
  verb->add_option("--record", options.recording, "events and decisions, for replay and why");
  verb->add_option("--log", options.log,
                   "a line of JSON for each event, added to this file; -: standard error");
  verb->add_option("--log-level", options.log_level, "debug (each request), info, warning or error")
      ->check(CLI::IsMember({"debug", "info", "warning", "error"}))
      ->capture_default_str();
  verb->add_flag("--print", options.print, "prints the demo's scenario, to begin with, and ends");
  AddFooter(verb);
}

void AddVerb(CLI::App& app, TenantOptions& options) {
  CLI::App* verb = app.add_subcommand("tenant", "who may call a server, and their keys");
  verb->add_option("action", options.action, "add, list, key, operator, revoke or remove")
      ->required()
      ->check(CLI::IsMember({"add", "list", "key", "operator", "revoke", "remove"}));
  verb->add_option("name", options.name, "of the tenant; of a key, for revoke");
  verb->add_option("--store", options.store, "the server's; fairlead.db unless given");
  verb->add_option("--weight", options.weight, "of a tenant that is added; 1 unless given")
      ->check(CLI::Range(1e-6, 1e6));
  AddForm(verb, options.form);
  AddFooter(verb);
}

void AddVerb(CLI::App& app, AgreementOptions& options) {
  CLI::App* verb = app.add_subcommand("agreement", "what tenants of a server are promised");
  verb->add_option("action", options.action, "add, list or remove")
      ->required()
      ->check(CLI::IsMember({"add", "list", "remove"}));
  verb->add_option("tenant", options.tenant, "its name");
  verb->add_option("network", options.network, "that the scenario serves");
  verb->add_option("--store", options.store, "the server's; fairlead.db unless given");
  const auto add = [verb](std::deque<TermOption>& terms, std::string_view key,
                          std::string_view help) {
    std::string name = "--" + std::string(key);
    std::ranges::replace(name, '_', '-');
    verb->add_option(name, terms.emplace_back(key, "").value, std::string(help));
  };
  ForEachTerm([&](const auto& term) {
    if (term.help.empty()) return;
    if (term.key != std::string_view("contract")) return add(options.terms, term.key, term.help);
    for (const ContractTerm& part : kContractTerms) add(options.contract, part.key, part.help);
  });
  AddForm(verb, options.form);
  AddFooter(verb);
}

void AddVerb(CLI::App& app, LoadOptions& options) {
  CLI::App* verb =
      app.add_subcommand("load", "calls a server as a scenario's tenants would, and reports");
  verb->add_option("scenario", options.scenario, "whose tenants call; most often the server's own")
      ->required();
  verb->add_option("--url", options.url,
                   "of the server, such as http://127.0.0.1:8000 or grpc://127.0.0.1:8001")
      ->required();
  verb->add_option("--key", options.keys,
                   "TENANT=KEY, for each tenant that needs one; TENANT=@FILE: from a file");
  verb->add_option("--keys", options.key_file, "a file of such, a line `tenant key` each");
  verb->add_option(
      "--ca", options.authorities,
      "certificates (PEM) that vouch for a https or grpcs server; the system's unless given");
  verb->add_option("--horizon", options.horizon, "for how long, such as 30s, unlike the scenario");
  verb->add_option("--seed", options.seed, "of the requests; the scenario's unless given");
  verb->add_option("--connections", options.connections, "of HTTP, at most so many at a time")
      ->check(Whole(1, 60000))
      ->capture_default_str();
  verb->add_flag("--compare", options.compare,
                 "simulates the same requests, and says how far off that is");
  verb->add_option("--policy", options.policy,
                   "that is simulated; the one that serve would run unless given");
  AddForm(verb, options.form);
  AddFooter(verb);
}

void AddVerb(CLI::App& app, TopOptions& options) {
  CLI::App* verb = app.add_subcommand("top", "shows a server that runs: who gets what, just now");
  verb->add_option("url", options.url, "of the server; http://127.0.0.1:8000 unless given");
  verb->add_option("--key", options.key,
                   "an operator's; @FILE: from a file; not needed where callers are anonymous");
  verb->add_option("--ca", options.authorities,
                   "certificates (PEM) that vouch for a https server; the system's unless given");
  verb->add_option("--interval", options.interval, "between two looks")->capture_default_str();
  verb->add_flag("--once", options.once, "looks once: rates are since the server began");
  AddForm(verb, options.form);
  AddFooter(verb);
}

void AddVerb(CLI::App& app, ReplayOptions& replay) {
  CLI::App* replay_verb =
      app.add_subcommand("replay", "re-runs a recorded run and compares every decision");
  replay_verb->add_option("recording", replay.recording, "written by simulate --record")
      ->required();
  replay_verb->add_option("--policy", replay.policy,
                          "./mine.so, where the recorded policy is from that file");
  replay_verb->add_flag("--cut-off", replay.cut_off, kCutOff);
  AddForm(replay_verb, replay.form);
  AddFooter(replay_verb);
}

void AddVerb(CLI::App& app, WhyOptions& why) {
  CLI::App* why_verb = app.add_subcommand(
      "why", "says where a request's time went, or that of all that did not hit");
  why_verb->add_option("recording", why.recording, "written by simulate --record")->required();
  auto* request = AddWhole(why_verb, "request", why.request,
                           "its number; none: all that did not hit", {0, INT64_MAX});
  why_verb->add_option("--worst", why.worst, "so many of them one by one; 5 unless given")
      ->check(Whole(0, 1'000'000))
      ->excludes(request);
  why_verb->add_option("--tenant", why.tenant, "of this tenant alone")->excludes(request);
  why_verb->add_option("--outcome", why.outcome, "miss, dropped or rejected: these alone")
      ->check(CLI::IsMember({"miss", "dropped", "rejected"}))
      ->excludes(request);
  why_verb->add_flag("--cut-off", why.cut_off, kCutOff);
  AddForm(why_verb, why.form);
  AddFooter(why_verb);
}

void AddVerb(CLI::App& app, SuiteOptions& options) {
  CLI::App* verb = app.add_subcommand(
      "suite", "runs every policy on scenarios drawn by chance from stated ranges");
  AddWhole(verb, "--scenarios", options.scenarios, "how many; 20 unless given", {1, 100'000});
  AddWhole(verb, "--seed", options.seed, "of the drawing: other seeds are other scenarios",
           {0, INT64_MAX});
  AddWhole(verb, "--first", options.first, "the number of the first; they count up from it",
           {1, 1'000'000'000});
  verb->add_flag("--tuning", options.tuning,
                 "draws scenarios for tuning, none of which is ever drawn for reporting");
  verb->add_option("--policy", options.policies,
                   "A,B,...; all: each as it is and, where that differs, with drop=early");
  verb->add_option("--policy-file", options.policy_file,
                   "more of them, one a line; lines that start with # are passed over");
  AddWhole(verb, "--seeds", options.seeds, "runs of each policy in each scenario; 3 unless given",
           {1, 1'000});
  AddWhole(verb, "--jobs", options.jobs, "runs at a time; one per core unless given", {1, 4096});
  verb->add_option("--write", options.folder,
                   "keeps the scenarios in this folder, for fairlead simulate; made if need be");
  verb->add_option("--report", options.report, "all results as one HTML page with figures");
  AddForm(verb, options.form);
  AddFooter(verb);
}

void AddVerb(CLI::App& app, CostOptions& options) {
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
  AddWhole(verb, "--batch", options.batch, "inputs at a time", {1, 1024});
  AddWhole(verb, "--units", options.units,
           "cores or multiprocessors, where there are several; all unless given", {1, 65536});
  verb->add_option("--html", options.html, "writes a page with roofline charts");
  AddForm(verb, options.form, {"table", "csv", "json", "profile"});
  AddFooter(verb);
}

void AddVerb(CLI::App& app, ProfileOptions& options) {
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
  AddWhole(verb, "--repetitions", options.repetitions,
           "visits to everything, in rounds; 9 unless given", {1, 1000});
  AddWhole(verb, "--coruns", options.coruns, "layers beside layers to draw; 200 unless given",
           {0, 1'000'000});
  AddWhole(verb, "--mixes", options.mixes, "networks beside networks to draw; 12 unless given",
           {0, 100'000});
  AddWhole(verb, "--random-layers", options.random_layers,
           "layers to draw by chance, to learn slowdowns from: co-runs are then of these, "
           "and a tenth more of networks' layers",
           {0, 10'000});
  AddWhole(verb, "--seed", options.seed, "of what is drawn", {0, INT64_MAX});
  verb->add_option("--visit", options.visit, "how long a network repeats; 300ms unless given");
  verb->add_option("--time", options.time,
                   "such as 60s: no round begins that would end later; the first always runs");
  verb->add_flag("--first-of-alike", options.first_of_alike,
                 "of partitions that are alike measures the first alone, for all of them");
  verb->add_flag("--no-hand-overs", options.no_hand_overs,
                 "leaves out what it costs to go on with a job");
  verb->add_flag("--quick", options.quick, "3 rounds of shorter visits, 40 co-runs");
  AddForm(verb, options.form);
  AddFooter(verb);
}

void AddVerb(CLI::App& app, ImportOptions& options) {
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
  AddWhole(verb, "--top", options.top, "only so many tenants, those who ask most",
           {1, 1'000'000'000});
  AddWhole(verb, "--seed", options.seed, "of the arrivals within a minute, and of the scale",
           {0, INT64_MAX});
  AddFooter(verb);
}

void AddVerb(CLI::App& app, CheckOptions& check) {
  CLI::App* check_verb = app.add_subcommand("check", "validates a scenario without running it");
  check_verb->add_option("scenario", check.scenario, "SCENARIO.yaml")->required();
  AddFooter(check_verb);
}

void AddVerb(CLI::App& app, ListOptions& options) {
  struct ListVerb {
    const char* name;
    const char* help;
    Listing what;
  };
  for (const ListVerb& entry :
       {ListVerb{"policies", "lists the scheduling policies and their options, or describes one",
                 Listing::kPolicies},
        ListVerb{"networks", "lists the built-in networks, or the layers of one",
                 Listing::kNetworks},
        ListVerb{"accelerators", "lists the built-in kinds of accelerators, or describes one",
                 Listing::kAccelerators},
        ListVerb{"mechanisms", "lists the mechanisms of fairlead share and their options",
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

}  // namespace fairlead
