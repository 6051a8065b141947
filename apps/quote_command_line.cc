// The options of quote and provision, and their help texts.
#include <cstdint>

#include "apps/command_line_parts.h"

namespace fairlead {
namespace {

void AddJudging(CLI::App* verb, JudgingOptions& options) {
  verb->add_option(
      "--policy", options.policy,
      "the scenario's unless given; the house policy, fairlead, if that names several or none");
  verb->add_option("--seed", options.seed, "the first traffic to draw; the scenario's unless given")
      ->check(Whole(0, INT64_MAX));
  verb->add_option("--seeds", options.seeds,
                   "traffics to simulate; 6 to 12 unless given, as their work allows")
      ->check(Whole(4, 100));
  verb->add_option("--jobs", options.jobs, "runs at a time; one per core unless given")
      ->check(Whole(1, 4096));
}

}  // namespace

void AddQuote(CLI::App& app, QuoteCommandOptions& options) {
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
  verb->footer(
      "\nThe answer is yes when all promises, old and new, are kept with 99 % confidence on a new\n"
      "traffic of the scenario's length; no when they are not, whatever is offered less; at-most\n"
      "with a rate or a target that is kept with the same confidence: the largest that a few\n"
      "judgements find, each about as long as a yes. It names whom the agreement would hurt.\n"
      "Rates of the scenario stay what they are: whoever is added adds to the load. Without a\n"
      "rate, a newcomer asks as much as a share of the scenario's load comes to.\n"
      "A scenario with a requests file is judged on the recording and on others made of its "
      "blocks.\n"
      "docs/guide/quote.md says how it is found out, and what it rests on.\n"
      "\nExamples:\n"
      "  fairlead quote scenarios/churn.yaml\n"
      "  fairlead quote scenarios/churn.yaml \\\n"
      "      --agreement '{name: acme, networks: [resnet50], rate: 20/s, target: 95%}'\n"
      "  fairlead quote scenarios/firm.yaml --policy edf-share -o json --report quote.html\n"
      "A script asks for the answer: fairlead quote S.yaml -o json | jq -r .answer\n");
}

void AddProvision(CLI::App& app, ProvisionCommandOptions& options) {
  CLI::App* verb =
      app.add_subcommand("provision", "the smallest platform that keeps a scenario's agreements");
  verb->add_option("scenario", options.scenario, "SCENARIO.yaml")->required();
  verb->add_option("--cost", options.costs,
                   "of one accelerator of a kind, such as simba=3.5; 1 unless given");
  verb->add_option("--max", options.most,
                   "accelerators of each kind; twice as many as the scenario has unless given")
      ->check(Whole(1, 4096));
  AddJudging(verb, options);
  verb->add_option("--report", options.report, "everything as one HTML page with a figure");
  AddForm(verb, options.form);
  verb->footer(
      "\nPlatforms of the scenario's kinds and memory are looked at, the cheapest first. Rates,\n"
      "deadlines and targets are those of the scenario on its own platform. What the fluid bound\n"
      "excludes is not simulated; the others are judged as `fairlead quote` does. It also says\n"
      "what one more accelerator of each kind would buy. docs/guide/quote.md has the details.\n"
      "\nExamples:\n"
      "  fairlead provision scenarios/churn.yaml\n"
      "  fairlead provision scenarios/churn.yaml --cost simba=3 --cost eyeriss=1 --max 6\n"
      "  fairlead provision scenarios/firm.yaml -o json --report platforms.html\n");
}

}  // namespace fairlead
