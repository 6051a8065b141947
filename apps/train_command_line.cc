// The command line of `fairlead train`.
#include <CLI/CLI.hpp>
#include <string>

#include "apps/command_line_parts.h"

namespace fairlead {

void AddTrain(CLI::App& app, TrainCommandOptions& options) {
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
  verb->add_option("--seed", options.seed, "of weights, traffic and samples")
      ->check(Whole(0, INT64_MAX));
  verb->add_option("--set", options.settings,
                   "NAME=NUMBER, a hyper-parameter (fairlead-train --help lists them)");
  verb->add_flag("--fresh", options.fresh, "begins anew although there is a checkpoint");
  verb->footer(
      "\nA training that was interrupted or killed goes on where it was when the same command is\n"
      "given again. fairlead-train is built apart, since it links libtorch: `./run train ...`\n"
      "builds it, or\n"
      "  tools/install-packages train && cmake --preset train && cmake --build --preset train\n"
      "\nExamples:\n"
      "  fairlead train scenarios/fairness.yaml scenarios/firm.yaml --learner rl-sla \\\n"
      "    --out rl-sla.weights --minutes 30\n"
      "  fairlead simulate scenarios/firm.yaml --policy rl-sla:weights=rl-sla.weights\n"
      "docs/guide/learning.md tells what stands behind it.\n");
}

}  // namespace fairlead
