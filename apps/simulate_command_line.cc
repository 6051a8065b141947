// What simulate may be asked, and its help text.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "apps/command_line_parts.h"
#include "apps/help_text.h"
#include "fairlead/world/policy_registry.h"

namespace fairlead {
namespace {

std::string PolicyHelp() {
  std::string text = "Policies (--policy A,B,... or all; all: as they are and with drop=early):\n";
  std::size_t width = 0;
  for (const PolicyEntry& policy : Policies()) width = std::max(width, policy.name.size() + 2);
  for (const PolicyEntry& policy : Policies()) {
    text += fmt::format("  {:<{}}{}\n", policy.name, width,
                        Wrapped(policy.description, width + 2, width + 2));
  }
  return text +
         "Options follow a colon: --policy 'edf-h:drop=early;wait=never'. `fairlead policies`\n"
         "lists them.\n";
}

std::string ObjectiveHelp() {
  return "\nObjectives (--require, and `require` in a scenario): FIGURE>=BOUND; also <= > < =\n"
         "  FIGURE  a path in the JSON of a run (hit_rate, latency.p99, revenue); worst and\n"
         "          promises_kept, of all agreements; the same of a tenant or a group of tenants\n"
         "          by its name: quiet.hit_rate, tenant.quiet.worst, quiet.promises_kept\n"
         "  BOUND   97% or 0.97, 20ms, or a number, as the figure demands; or a policy that\n"
         "          runs too, whose figure is meant: 'revenue>edf-h:drop=early'\n"
         "  With several seeds the mean over them counts.\n";
}

// What is written beside the table.
void AddFiles(CLI::App* verb, SimulateOptions& options) {
  verb->add_option(
      "--outcomes", options.outcomes,
      "how each request ended, as CSV; with several runs F.<policy>.<seed>.csv; - prints it, "
      "and the table to standard error (so do the next three)");
  auto* trace =
      verb->add_option("--trace", options.trace, "a timeline for ui.perfetto.dev, as JSON");
  verb->add_option("--trace-from", options.trace_from, "leaves out what ended before, such as 20s")
      ->needs(trace);
  verb->add_option("--trace-to", options.trace_to, "leaves out what began later")->needs(trace);
  verb->add_option("--record", options.recording, "events and decisions, for replay and why");
  verb->add_option("--books", options.books, "what agreements were promised and got, as JSON");
  verb->add_option("--continue", options.continued, "books to go on from: what was owed still is");
}

void AddLive(CLI::App* verb, SimulateOptions& options) {
  auto* live =
      verb->add_option(
              "--live", options.live,
              "runs in real time instead, on a thread for each accelerator, which for each "
              "segment may sleep, spin, or run its layers on the cores that the scenario names")
          ->check(CLI::IsMember({"sleep", "spin", "run"}));
  verb->add_flag("--compare", options.compare,
                 "simulates the same beside each live run, and once more with the costs that it "
                 "showed: tenants, segments, moves")
      ->needs(live);
}

}  // namespace

void AddSimulate(CLI::App& app, SimulateOptions& options) {
  CLI::App* verb = app.add_subcommand("simulate", "runs a scenario under each policy");
  auto* scenario = verb->add_option("scenario", options.scenarios,
                                    "SCENARIO.yaml, or - for standard input; several are compared");
  auto* set = verb->add_option(
      "--set", options.settings,
      "KEY=VALUE instead of what the scenario says: platform.bandwidth=8GB/s, "
      "tenants.camera.rate=30/s; KEY=8,16,32GB/s runs each, several --set all combinations");
  set->allow_extra_args(false);  // a scenario may follow
  auto* profile = verb->add_option("--profile", options.profile,
                                   "costs as CSV, instead of a scenario: one accelerator for each "
                                   "kind that it names");
  auto* requests = verb->add_option("--requests", options.requests,
                                    "requests as CSV; with a scenario: instead of its own, whose "
                                    "promises stay");
  profile->needs(requests)->excludes(scenario)->excludes(set);
  verb->add_option("--plan", options.plan, "a plan as CSV; the policy is then fixed-plan")
      ->needs(profile);
  verb->add_option("--bandwidth", options.bandwidth, "of the shared memory, for example 16GB/s")
      ->needs(profile);
  verb->add_option("--sharing", options.sharing, "proportional, max-min or none")->needs(profile);
  verb->add_option("--policy", options.policies,
                   "A,B,... or all, or ./mine.so; each under the guard of the scenario, if that "
                   "has one");
  verb->add_option("--seed", options.seed, "the first seed; the scenario's unless given")
      ->check(Whole(0, INT64_MAX));
  verb->add_option("--seeds", options.seeds, "how many seeds, counting up from the first")
      ->check(Whole(1, 100'000));
  verb->add_option("--jobs", options.jobs, "runs at a time; one per core unless given")
      ->check(Whole(1, 4096));
  AddFiles(verb, options);
  auto* report = verb->add_option("--report", options.report,
                                  "all results as one HTML page with figures and tables");
  verb->add_option("--loads", options.loads,
                   "loads for the report's frontier, such as 0.6,0.8,1.0: runs everything at each")
      ->needs(report)
      ->excludes(profile);
  verb->add_option("--require", options.require,
                   "an objective such as 'promises_kept>=97%', 'quiet.hit_rate>=99%' or "
                   "'latency.p99<=20ms' (below); exit status 1 when it is not met");
  AddLive(verb, options);
  AddForm(verb, options.form, {"table", "wide", "json", "csv"});
  verb->footer([] {
    return "\n" + PolicyHelp() + ObjectiveHelp() +
           "\nExamples:\n"
           "  fairlead simulate scenarios/fairness.yaml --policy all\n"
           "  fairlead simulate scenarios/fairness.yaml --policy edf-h,edf-share --seeds 10\n"
           "  fairlead simulate scenarios/fairness.yaml --report report.html --loads 0.6,0.8,1\n"
           "  fairlead simulate --profile p.csv --requests r.csv --policy sjf --outcomes o.csv\n"
           "  fairlead simulate measured/scenario.yaml --live run --compare\n";
  });
}

}  // namespace fairlead
