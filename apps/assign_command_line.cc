// The command line of `fairlead assign`.
#include <CLI/CLI.hpp>

#include "apps/command_line_parts.h"

namespace fairlead {

void AddAssign(CLI::App& app, AssignOptions& options) {
  CLI::App* verb = app.add_subcommand(
      "assign", "searches which part of each network's requests is to go to which accelerator");
  verb->add_option("scenario", options.scenario, "SCENARIO.yaml")->required();
  verb->add_option("--goal", options.goal,
                   "goodput, slo99-throughput, throughput, fairness, energy, or a mix such as "
                   "goodput:0.7+fairness:0.3; goodput unless given");
  verb->add_option("--search", options.search,
                   "sampling, local (changes of the best) or halving (short simulations first); "
                   "sampling unless given");
  verb->add_option("--budget", options.budget,
                   "simulations of the scenario's length; 200 unless given")
      ->check(Whole(1, 1'000'000));
  verb->add_option("--route", options.route, "as in goal-directed: arrival or idle")
      ->check(CLI::IsMember({"arrival", "idle"}));
  verb->add_option("--seed", options.seed,
                   "of what is drawn and of the traffic; 101 unless given, for runs are judged by "
                   "others")
      ->check(Whole(0, INT64_MAX));
  verb->add_option("--out", options.out, "the ratios as CSV, for goal-directed:ratios=FILE");
  AddForm(verb, options.form);
  verb->footer(
      "\nSimulations are of the world as policies believe it to be (interference: {belief: ...} "
      "of\n"
      "the scenario), and give up early what can no longer make it.\n"
      "\nExamples:\n"
      "  fairlead assign scenarios/h200-interference.yaml --goal goodput --out ratios.csv\n"
      "  fairlead simulate scenarios/h200-interference.yaml \\\n"
      "    --policy 'goal-directed:ratios=ratios.csv;drop=early'\n"
      "docs/policies/goal-directed.md tells what is searched, and how sure it is.\n");
}

}  // namespace fairlead
