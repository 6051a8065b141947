#include "fairlead/world/policy_options.h"

#include <chrono>
#include <utility>

namespace fairlead {
namespace {

constexpr Duration kLongest = std::chrono::hours{1};

BoundOption DropOption(DropRule& drop) {
  return WordOption("drop", "early: give up jobs that can no longer make their deadline", drop,
                    {{"none", DropRule::kNone}, {"early", DropRule::kEarly}});
}

BoundOption PlaceOption(PlacementRule& rule) {
  return WordOption("place", "which accelerator a segment goes to", rule,
                    {{"earliest-finish", PlacementRule::kEarliestFinish},
                     {"fastest", PlacementRule::kFastest},
                     {"least-loaded", PlacementRule::kLeastLoaded},
                     {"round-robin", PlacementRule::kRoundRobin},
                     {"random", PlacementRule::kRandom}});
}

BoundOption WaitOption(Waiting& waiting) {
  return WordOption("wait",
                    "never: only idle accelerators are considered; allowed: a segment may wait for "
                    "a better one",
                    waiting, {{"allowed", Waiting::kAllowed}, {"never", Waiting::kForbidden}});
}

BoundOption MemoryOption(double& memory) {
  return NumberOption("memory",
                      "start nothing while what runs asks for so many times the memory's bandwidth",
                      memory, {.low = 0.01, .high = 1000, .unlimited = "any"}, {"1.2", "any"});
}

BoundOption LateOption(LateRule& late) {
  return WordOption("late",
                    "literal: a late job's urgency is negative, as published; urgent: as large as "
                    "can be",
                    late, {{"literal", LateRule::kLiteral}, {"urgent", LateRule::kUrgent}});
}

// A policy's own options stand before those that all list policies have.
OptionTable Before(BoundOption own, OptionTable table) {
  table.insert(table.begin(), std::move(own));
  return table;
}

}  // namespace

OptionTable OptionsOf(NoOptions& /*options*/) { return {}; }

OptionTable OptionsOf(ListPolicyOptions& options) {
  return {DropOption(options.drop), PlaceOption(options.placement.rule),
          WaitOption(options.placement.waiting), MemoryOption(options.memory),
          WordOption("interference",
                     "what is believed of co-runners: usual, a mean that latencies have in them; "
                     "beside: of what runs now, for place=earliest-finish and drop=early",
                     options.placement.beside,
                     {{"usual", AcceleratorSlots::Beside::kUsual},
                      {"beside", AcceleratorSlots::Beside::kNow}})};
}

OptionTable OptionsOf(PremaOptions& options) {
  return Before(
      WordOption("tokens",
                 "which waiting time earns tokens: each once; or all since the last run, at "
                 "each decision, as in public code",
                 options.tokens,
                 {{"since-last-run", TokenRule::kSinceLastRun},
                  {"since-last-update", TokenRule::kSinceLastUpdate}}),
      OptionsOf(options.list));
}

OptionTable OptionsOf(Sdrm3Options& options) {
  return Before(LateOption(options.late), OptionsOf(options.list));
}

OptionTable OptionsOf(VtcOptions& options) {
  return Before(WordOption("preempt",
                           "never: a job that has started goes on before others start, as in the "
                           "source; segment: it queues again after each segment",
                           options.preemption,
                           {{"never", Preemption::kNone}, {"segment", Preemption::kSegment}}),
                OptionsOf(options.list));
}

OptionTable OptionsOf(DbpOptions& options) {
  return Before(NumberOption("best_effort",
                             "the target rate that agreements without one are held to; with 1 all "
                             "of them have the same distance soon",
                             options.best_effort, {.low = 0, .high = 1, .unlimited = {}},
                             {"0.5", "0.8", "1"}),
                OptionsOf(options.list));
}

OptionTable OptionsOf(FairleadOptions& options) {
  OptionTable table =
      Before(WordOption("triage",
                        "where not all promises can be kept, ordered: those whose breach costs "
                        "least are given up; equal: all fall short alike",
                        options.triage, {{"ordered", Triage::kOrdered}, {"equal", Triage::kEqual}}),
             OptionsOf(options.list));
  table.push_back(NumberOption(
      "throttle",
      "what starts gets no more than so many equal parts of the memory's bandwidth, one for each "
      "that runs, or what the others leave",
      options.list.throttle, {.low = 1, .high = 1000, .unlimited = "never"}, {"3", "never"}));
  table.push_back(
      WordOption("units",
                 "divided: segments share an accelerator of several units, each with as "
                 "many as it needs; whole: one at a time has all",
                 options.list.placement.units,
                 {{"divided", AcceleratorSlots::Units::kDivided},
                  {"whole", AcceleratorSlots::Units::kWhole}}));
  return table;
}

OptionTable OptionsOf(HeraldOptions& options) {
  return {WordOption("metric", "what makes a segment prefer an accelerator", options.metric,
                     {{"latency", HeraldMetric::kLatency},
                      {"energy", HeraldMetric::kEnergy},
                      {"edp", HeraldMetric::kEnergyDelay}}),
          NumberOption("imbalance",
                       "how many times later than possible a segment may finish where it prefers "
                       "to run",
                       options.imbalance, {.low = 1, .high = 1000, .unlimited = "any"},
                       {"1", "2", "4", "any"}),
          WordOption("order", "depth: the earliest first; breadth: jobs take turns by segment",
                     options.order,
                     {{"breadth", HeraldOrder::kBreadth}, {"depth", HeraldOrder::kDepth}}),
          DropOption(options.drop),
          WaitOption(options.waiting),
          MemoryOption(options.memory)};
}

OptionTable OptionsOf(AiMtOptions& options) {
  return Before(
      CountOption("lookahead", "among how many of the earliest segments the next one is chosen",
                  options.lookahead, {.low = 1, .high = 4096}, {"1", "16", "128"}),
      OptionsOf(options.list));
}

OptionTable OptionsOf(AlpaServeOptions& options) {
  return {DurationOption("overhead", "of serving a request, added to its predicted finish",
                         options.overhead, kLongest, {"none", "11ms"}),
          WordOption("replicas",
                     "in-time: a request is offered to accelerators that would meet its deadline "
                     "if idle; anywhere: to all that can run its network",
                     options.replicas,
                     {{"in-time", Replicas::kInTime}, {"anywhere", Replicas::kAnywhere}}),
          WordOption("clocks",
                     "corrected: by what has really been done; predicted: never, as in the source",
                     options.clocks,
                     {{"corrected", ClockRule::kCorrected}, {"predicted", ClockRule::kPredicted}}),
          DropOption(options.drop)};
}

OptionTable OptionsOf(ClockworkOptions& options) {
  return {
      DurationOption("ahead", "commits work to an accelerator that will be free so soon",
                     options.ahead, kLongest, {"10ms"}),
      DurationOption("margin", "kept free before each deadline", options.margin, kLongest, {"5ms"}),
      MemoryOption(options.memory)};
}

OptionTable OptionsOf(PlanariaOptions& options) {
  return {LateOption(options.late), DropOption(options.drop)};
}

OptionTable OptionsOf(MocaOptions& options) {
  return {WordOption("cut",
                     "normalised: cuts sum to the excess; published: each by the others' part of "
                     "it, which for more than two is too much",
                     options.cut,
                     {{"published", CutRule::kPublished}, {"normalised", CutRule::kNormalised}}),
          DropOption(options.drop), MemoryOption(options.memory)};
}

OptionTable OptionsOf(FreeForAllOptions& options) { return {DropOption(options.drop)}; }

OptionTable OptionsOf(StaticPartitionOptions& options) {
  return {WordOption("cut",
                     "mixed: each part has some of every kind; units: as many parts as there are "
                     "units",
                     options.cut, {{"mixed", CutBy::kMixed}, {"units", CutBy::kUnits}}),
          DropOption(options.drop)};
}

OptionTable OptionsOf(PartiesOptions& options) {
  return {
      DurationOption("interval", "between two looks at who is slow", options.interval, kLongest,
                     {"100ms", "500ms"}),
      NumberOption("tight", "time to the deadline that the slowest requests should leave, of it",
                   options.tight, {.low = 0, .high = 1, .unlimited = {}}, {"0.05", "0.2"}),
      WordOption("cut",
                 "mixed: each part has some of every kind; units: as many parts as there are "
                 "units",
                 options.cut, {{"mixed", CutBy::kMixed}, {"units", CutBy::kUnits}}),
      DropOption(options.drop)};
}

OptionTable OptionsOf(VeltairOptions& options) {
  return {WordOption("blocks",
                     "adaptive: as short as what is usually free allows; layer: one segment each; "
                     "network: all of it",
                     options.blocks,
                     {{"adaptive", BlockRule::kAdaptive},
                      {"layer", BlockRule::kLayer},
                      {"network", BlockRule::kNetwork}}),
          WordOption("order", "who begins a block first", options.order,
                     {{"arrival", BlockOrder::kArrival}, {"deadline", BlockOrder::kDeadline}}),
          WordOption("spare", "units that nobody needs: lent for a segment, or kept for who comes",
                     options.spare, {{"lend", SpareUnits::kLend}, {"keep", SpareUnits::kKeep}}),
          NumberOption("margin", "of the time to the deadline that is kept free", options.margin,
                       {.low = 0, .high = 0.9, .unlimited = {}}, {"0", "0.1", "0.3"}),
          DurationOption("recent", "what the averages of free units and slowdowns are of",
                         options.memory, kLongest, {"20ms", "50ms", "200ms"}),
          DropOption(options.drop)};
}

OptionTable OptionsOf(RandomPolicyOptions& options) { return {DropOption(options.drop)}; }

OptionTable OptionsOf(LearnedPolicyOptions& options) {
  return {CountOption("rows", "how many ready segments are looked at, those with least slack",
                      options.rows, {.low = 1, .high = 4096}, {"16", "64", "256"}),
          MemoryOption(options.memory),
          DurationOption("refresh",
                         "how long an answer of the network holds for a segment that waits; none: "
                         "each decision asks about all",
                         options.refresh, kLongest, {"none", "100us", "1ms"}),
          FileOption("weights", "what was learned, by fairlead train", options.weights)};
}

OptionTable OptionsOf(SharedEdfOptions& options) {
  using Lend = MechanismPolicyOptions::Lend;
  std::vector<std::pair<std::string_view, std::string_view>> mechanisms;
  for (const std::string_view name : {"most-token-first", "most-token-first-plus", "gandiva-fair",
                                      "nash", "karma", "drf", "round-robin", "fixed-partition"})
    mechanisms.emplace_back(name, name);
  return {WordOption("mechanism", "who holds what in a round, as in fairlead share",
                     options.mechanism, mechanisms),
          DurationOption("round", "how long accelerators are held", options.policy.round,
                         std::chrono::seconds(10), {"1ms", "10ms"}),
          WordOption("lend", "what its holder leaves idle goes to others, or stays idle",
                     options.policy.lend, {{"yes", Lend::kYes}, {"no", Lend::kNo}}),
          DropOption(options.policy.drop)};
}

OptionTable OptionsOf(LookAheadOptions& options) {
  const auto set = [&options](std::string_view text) -> Status {
    options.policies.clear();
    for (const std::string_view name : SplitAt(text, '+')) {
      if (name.empty()) return Fail("; expected names of policies with + between them");
      options.policies.emplace_back(name);
    }
    return {};
  };
  const auto text = [&options] { return fmt::format("{}", fmt::join(options.policies, "+")); };
  return {
      {.info = {.key = "among",
                .sentence = "the policies to choose from, each with drop=early where it has that; "
                            "the first is in charge at the start",
                .values = "NAME+NAME+...",
                .default_value = text(),
                .samples = {"fairlead+sjf"}},
       .set = set,
       .text = text},
      CountOption("most", "recent requests that are remembered and simulated", options.most,
                  {.low = 64, .high = 1'000'000}, {"1024", "4096"}),
      NumberOption("margin", "by which another policy must be better, of all promises",
                   options.margin, {.low = 0, .high = 1}, {"0", "0.01"})};
}

OptionTable OptionsOf(RoutedOptions& options) {
  return {
      WordOrFileOption(
          "ratios",
          "which part of a network's requests goes where: by how fast it is there, alike, "
          "or as a file says (fairlead assign writes one)",
          options.ratios, {"speed", "equal"}),
      WordOption("route",
                 "arrival: each request is given its accelerator when it comes; idle: when one "
                 "is free",
                 options.policy.route, {{"arrival", RouteAt::kArrival}, {"idle", RouteAt::kIdle}}),
      DropOption(options.policy.drop)};
}

OptionTable OptionsOf(SloMaelOptions& options) {
  return {WordOption("order", "in which accelerators serve what waits at them", options.order,
                     {{"deadline", MaelOrder::kDeadline}, {"arrival", MaelOrder::kArrival}}),
          DropOption(options.drop)};
}

}  // namespace fairlead
