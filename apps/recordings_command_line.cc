// The options of replay, why and cut, and their help texts.
#include <cstdint>

#include "apps/command_line_parts.h"

namespace fairlead {
namespace {

void AddCut(CLI::App& app, CutOptions& cut) {
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
  verb->footer(
      "\nA log consists of pieces that each begin with the state of the engine: what is written\n"
      "begins with the piece in which --from lies, which it says, and ends at --to exactly. Where\n"
      "the time reaches over several pieces, they stand in the file one after the other, and\n"
      "replay and why take each by itself.\n"
      "\nExamples:\n  fairlead cut recordings --last 5min --out incident.rec\n"
      "  fairlead cut recordings --from 2026-01-31T12:00Z --to 2026-01-31T12:05Z --out noon.rec\n"
      "  fairlead replay noon.rec\n");
}

}  // namespace

void AddRecordings(CLI::App& app, ReplayOptions& replay, WhyOptions& why, CutOptions& cut) {
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
  AddCut(app, cut);
}

}  // namespace fairlead
