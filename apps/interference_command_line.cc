// The command line of `fairlead interference`.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "apps/command_line_parts.h"
#include "fairlead/regression/regressor.h"

namespace fairlead {

void AddInterference(CLI::App& app, InterferenceOptions& options) {
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
  verb->add_option("--folds", options.folds,
                   "of the cross-validation; 5 unless given, 0 and 1: none")
      ->check(Whole(0, 100));
  verb->add_option("--seed", options.seed, "of what is drawn")->check(Whole(0, INT64_MAX));
  verb->add_option("--out", options.out, "the model file that fit writes");
  verb->add_option("--report", options.report, "calibration plots as one HTML page");
  verb->add_flag("--cases", options.cases,
                 "a row for each partition and who runs beside it, not for each partition alone");
  AddForm(verb, options.form);
  verb->footer([] {
    std::string text = "\nLearners:\n";
    for (const Learner& learner : Learners())
      text += fmt::format("  {:<16}{}\n", learner.name, learner.description);
    return text +
           "\nCross-validation holds layers back, not rows: every co-run is predicted by a model "
           "that has\nnot seen its layer.\n"
           "\nExamples:\n"
           "  fairlead interference fit --layers data/h200/layers.csv \\\n"
           "    --corun data/h200/corun_train.csv --model mlp --out h200.slowdown\n"
           "  fairlead interference evaluate --model-file h200.slowdown \\\n"
           "    --layers data/h200/layers.csv --corun data/h200/corun_validate.csv\n"
           "  fairlead interference fit --machine data/h200 --corun data/h200/corun_train.csv \\\n"
           "    --mixes data/h200/mixes_train.csv --out h200.slowdown\n"
           "  fairlead interference evaluate h200.slowdown none --machine data/h200 \\\n"
           "    --corun data/h200/corun_validate.csv --report calibration.html\n"
           "docs/guide/interference.md says what is learned, from what, and how well.\n";
  });
}

}  // namespace fairlead
