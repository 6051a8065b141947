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
  replay_verb->add_option("--policy", replay.policy,
                          "./mine.so, where the recorded policy is from that file");
  replay_verb->add_flag("--cut-off", replay.cut_off, cut_off);
  AddForm(replay_verb, replay.form);
  replay_verb->footer(
      "\nExample:\n  fairlead simulate scenarios/fairness.yaml --policy edf-h --record run.rec\n"
      "  fairlead replay run.rec\n");

  CLI::App* why_verb = app.add_subcommand(
      "why", "says where a request's time went, or that of all that did not hit");
  why_verb->add_option("recording", why.recording, "written by simulate --record")->required();
  auto* request =
      why_verb->add_option("request", why.request, "its number; none: all that did not hit")
          ->check(Whole(0, INT64_MAX));
  why_verb->add_option("--worst", why.worst, "so many of them one by one; 5 unless given")
      ->check(Whole(0, 1'000'000))
      ->excludes(request);
  why_verb->add_option("--tenant", why.tenant, "of this tenant alone")->excludes(request);
  why_verb->add_option("--outcome", why.outcome, "miss, dropped or rejected: these alone")
      ->check(CLI::IsMember({"miss", "dropped", "rejected"}))
      ->excludes(request);
  why_verb->add_flag("--cut-off", why.cut_off, cut_off);
  AddForm(why_verb, why.form);
  why_verb->footer(
      "\nExamples:\n  fairlead why run.rec 4711\n"
      "  fairlead why run.rec   # who is to blame, over all that did not hit\n"
      "  fairlead why run.rec --worst 10 --tenant camera --outcome miss\n");
}

}  // namespace fairlead
