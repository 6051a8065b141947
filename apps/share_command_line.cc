// The command line of `fairlead share`.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>

#include "apps/command_line_parts.h"
#include "fairlead/world/mechanism_registry.h"

namespace fairlead {

void AddShare(CLI::App& app, ShareOptions& options) {
  CLI::App* verb = app.add_subcommand(
      "share", "divides accelerators among agents round by round, under each mechanism");
  verb->add_option("scenario", options.scenario, "SCENARIO.yaml")->required();
  verb->add_option("--mechanism", options.mechanisms,
                   "A,B,... or all; the scenario's unless given");
  verb->add_option(
      "--thresholds", options.thresholds,
      "what agents ask of an accelerator that they pay for: fixed:0.3, hedge, actor-critic");
  verb->add_option("--seed", options.seed, "the first seed; the scenario's unless given")
      ->check(Whole(0, INT64_MAX));
  verb->add_option("--seeds", options.seeds, "how many seeds, counting up from the first")
      ->check(Whole(1, 100'000));
  verb->add_flag("--envy", options.envy, "who would rather have what another had");
  verb->add_option(
      "--train", options.train,
      "instead: trains an actor for thresholds on the scenario and writes it here, for "
      "actor-critic:FILE");
  verb->add_option("--episodes", options.episodes, "of the training; 200 unless given")
      ->check(Whole(1, 1'000'000));
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
  verb->add_option("--hidden", learning.hidden,
                   "of the training: units of the hidden layer; 16 unless given")
      ->check(Whole(1, 256));
  AddForm(verb, options.form);
  verb->footer([] {
    std::string text = "\nMechanisms (not to be mixed up with the policies of simulate):\n";
    for (const MechanismEntry& mechanism : Mechanisms()) {
      text += fmt::format("  {:<18}{}\n", mechanism.name, mechanism.description);
      for (const OptionInfo& option : mechanism.options)
        text += fmt::format("{:20}{}={} [{}] {}\n", "", option.key, option.values,
                            option.default_value, option.sentence);
    }
    return text +
           "\nColumns: welfare is the weighted mean of what agents had in a round, in rounds of "
           "their\n"
           "fastest accelerator; oracle and fair are its share of the upper bound in hindsight, "
           "and of\n"
           "that where nobody loses by sharing; phi compares with exclusive use of one's share (1 "
           "or\n"
           "more is an incentive to share), cost is the largest of the same of backlogs (1 or less "
           "is);\n"
           "wait is the longest time in rounds that an agent had work and none was done.\n"
           "\nExamples:\n"
           "  fairlead share scenarios/sharing/equal.yaml\n"
           "  fairlead share scenarios/sharing/weights-1-2-4.yaml --seeds 10 -o json\n"
           "  fairlead share scenarios/sharing/equal.yaml --thresholds fixed:0.5 --envy \\\n"
           "    --mechanism 'most-token-first:useless=idle,gandiva-fair:scope=pool'\n"
           "docs/guide/sharing.md tells what stands behind them.\n";
  });
}

}  // namespace fairlead
