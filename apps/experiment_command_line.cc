// The command line of `fairlead experiment`.
#include <CLI/CLI.hpp>

#include "apps/command_line_parts.h"

namespace fairlead {

void AddExperiment(CLI::App& app, ExperimentOptions& options) {
  CLI::App* verb = app.add_subcommand(
      "experiment", "reproduces one table or figure, and holds it to the numbers expected");
  verb->add_option("name", options.name,
                   "which, as --list names them; all; or a folder of your own, ./NAME");
  verb->add_flag("--list", options.list, "what there is, with its question and run time");
  verb->add_flag("--quick", options.quick, "fewer seeds and smaller worlds: the same question");
  verb->add_option("--seeds", options.seeds, "of a run that is not quick; 10 unless given")
      ->check(Whole(1, 1000));
  verb->add_option("--policy", options.policies,
                   "A,B,...: more policies that compete (mechanisms, where agents share), or "
                   "./mine.so");
  verb->add_option("--jobs", options.jobs, "runs at a time; one per core unless given")
      ->check(Whole(1, 1000));
  verb->add_option("--out", options.folder,
                   "writes NAME.html, NAME.json, a CSV for each figure and one of all runs here; "
                   "what has finished is there when the same is run again");
  AddForm(verb, options.form);
  verb->footer(
      "\nExit status 1: a number lies outside its tolerance (expected numbers are of 10 seeds).\n"
      "4: all numbers are as expected, but a claim falls short or is refuted.\n"
      "The folders in experiments/ have each one's question, claims and expected numbers.\n"
      "\nExamples:\n"
      "  fairlead experiment --list\n"
      "  fairlead experiment welfare --quick\n"
      "  fairlead experiment welfare --out results\n"
      "  fairlead experiment fairness --policy dbp,./mine.so --jobs 4 --out results\n");
}

}  // namespace fairlead
