// The options of replay and why, and their help texts.
#include <cstdint>

#include "apps/command_line_parts.h"

namespace fairlead {

void AddRecordings(CLI::App& app, ReplayOptions& replay, WhyOptions& why) {
  CLI::App* replay_verb =
      app.add_subcommand("replay", "re-runs a recorded run and compares every decision");
  replay_verb->add_option("recording", replay.recording, "written by simulate --record")
      ->required();
  const char* const cut_off = "a recording without its end will do: that of a run that broke off";
  replay_verb->add_flag("--cut-off", replay.cut_off, cut_off);
  AddForm(replay_verb, replay.form);
  replay_verb->footer(
      "\nExample:\n  fairlead simulate scenarios/fairness.yaml --policy edf-h --record run.rec\n"
      "  fairlead replay run.rec\n");

  CLI::App* why_verb = app.add_subcommand("why", "says where a request's time went");
  why_verb->add_option("recording", why.recording, "written by simulate --record")->required();
  why_verb->add_option("request", why.request, "the number of the request")
      ->required()
      ->check(Whole(0, INT64_MAX));
  why_verb->add_flag("--cut-off", why.cut_off, cut_off);
  AddForm(why_verb, why.form);
  why_verb->footer("\nExample:\n  fairlead why run.rec 4711\n");
}

}  // namespace fairlead
