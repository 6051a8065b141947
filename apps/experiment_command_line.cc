// The command line of `fairlead experiment`.
#include <CLI/CLI.hpp>

#include "apps/command_line_parts.h"

namespace fairlead {

void AddExperiment(CLI::App& app, ExperimentOptions& options) {
  CLI::App* verb = app.add_subcommand(
      "experiment", "reproduces one table or figure, and holds it to the numbers expected");
  verb->add_option("name", options.name, "which; --list names them");
  verb->add_flag("--list", options.list, "what there is, with its question and run time");
  verb->add_flag("--quick", options.quick, "fewer seeds and smaller worlds: the same question");
  verb->add_option("--seeds", options.seeds, "of a run that is not quick; 10 unless given")
      ->check(Whole(1, 1000));
  verb->add_option("--out", options.folder,
                   "writes NAME.html (figures) and NAME.json here; made if need be");
  AddForm(verb, options.form);
  verb->footer(
      "\nExit status 1: a number lies outside its tolerance (expected numbers are of 10 seeds).\n"
      "The folders in experiments/ tell each one's question, time, expected numbers, and what "
      "would\nrefute it.\n"
      "\nExamples:\n"
      "  fairlead experiment --list\n"
      "  fairlead experiment welfare --quick\n"
      "  fairlead experiment welfare --out results\n");
}

}  // namespace fairlead
