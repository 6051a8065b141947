#include "fairlead/config/policy_registry.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "fairlead/base/check.h"
#include "fairlead/base/units.h"
#include "fairlead/policies/ai_mt.h"
#include "fairlead/policies/alpaserve.h"
#include "fairlead/policies/clockwork.h"
#include "fairlead/policies/dbp.h"
#include "fairlead/policies/deficit.h"
#include "fairlead/policies/dysta.h"
#include "fairlead/policies/edf.h"
#include "fairlead/policies/edf_share.h"
#include "fairlead/policies/fcfs.h"
#include "fairlead/policies/fixed_plan.h"
#include "fairlead/policies/free_for_all.h"
#include "fairlead/policies/herald.h"
#include "fairlead/policies/least_laxity.h"
#include "fairlead/policies/list_policy.h"
#include "fairlead/policies/moca.h"
#include "fairlead/policies/planaria.h"
#include "fairlead/policies/prema.h"
#include "fairlead/policies/random.h"
#include "fairlead/policies/round_robin.h"
#include "fairlead/policies/scored_list_policy.h"
#include "fairlead/policies/sdrm3.h"
#include "fairlead/policies/sjf.h"
#include "fairlead/policies/static_partition.h"
#include "fairlead/policies/vtc.h"

namespace fairlead {
namespace {

constexpr PolicyOption kDrop = {"drop", "none|early",
                                "early: give up jobs that can no longer make their deadline"};
constexpr PolicyOption kDropUnlessAsked = {"drop", "early|none", kDrop.description};
constexpr PolicyOption kPlace = {"place", "earliest-finish|fastest|least-loaded|round-robin|random",
                                 "which accelerator a segment goes to"};
constexpr PolicyOption kWait = {
    "wait", "allowed|never",
    "never: only idle accelerators are considered; allowed: a segment may wait for a better one"};
constexpr PolicyOption kTokens = {
    "tokens", "since-last-run|since-last-update",
    "which waiting time earns tokens: all since the last run, at each decision; or each once"};

constexpr PolicyOption kLate = {
    "late", "literal|urgent",
    "literal: a late job's urgency is negative, as published; urgent: as large as can be"};

constexpr PolicyOption kMetric = {"metric", "latency|energy|edp",
                                  "what makes a segment prefer an accelerator"};
constexpr PolicyOption kImbalance = {
    "imbalance", "1.5|1|2|4|any",
    "how many times later than possible a segment may finish where it prefers to run"};
constexpr PolicyOption kOrder = {"order", "breadth|depth",
                                 "breadth: jobs take turns by segment; depth: the earliest first"};

constexpr PolicyOption kLookahead = {
    "lookahead", "64|16|128", "among how many of the earliest segments the next one is chosen"};

constexpr PolicyOption kOverhead = {"overhead", "11ms|none",
                                    "of serving a request, added to its predicted finish"};
constexpr PolicyOption kAhead = {"ahead", "none|10ms",
                                 "commits work to an accelerator that will be free so soon"};
constexpr PolicyOption kMargin = {"margin", "none|5ms", "kept free before each deadline"};

constexpr PolicyOption kMocaCut = {
    "cut", "published|normalised",
    "published: each by the others' part of the excess; normalised: cuts sum to the excess"};
constexpr PolicyOption kPartitionCut = {
    "cut", "mixed|units",
    "mixed: each part has some of every kind; units: as many parts as there are units"};

DropRule DropOf(const PolicyChoice& choice) {
  return choice["drop"] == "early" ? DropRule::kEarly : DropRule::kNone;
}

Waiting WaitOf(const PolicyChoice& choice) {
  return choice["wait"] == "never" ? Waiting::kForbidden : Waiting::kAllowed;
}

LateRule LateOf(const PolicyChoice& choice) {
  return choice["late"] == "urgent" ? LateRule::kUrgent : LateRule::kLiteral;
}

ListPolicyOptions ListOptionsOf(const PolicyChoice& choice) {
  return {.drop = DropOf(choice),
          .placement = {.rule = ParsePlacementRule(choice["place"]).value(),
                        .waiting = WaitOf(choice)}};
}

template <std::unique_ptr<TemporalRule> (*kMakeRule)()>
Result<std::unique_ptr<SchedulingPolicy>> MakeList(const PolicyChoice& choice,
                                                   const PolicyContext& context) {
  return MakeListPolicy(choice.Canonical(), kMakeRule(), ListOptionsOf(choice),
                        RandomStream(context.seed, "policy"));
}

using ScoringRuleFactory = std::unique_ptr<ScoringRule> (*)(const PolicyChoice&);

template <ScoringRuleFactory kMakeRule>
Result<std::unique_ptr<SchedulingPolicy>> MakeScored(const PolicyChoice& choice,
                                                     const PolicyContext& context) {
  return MakeScoredListPolicy(choice.Canonical(), kMakeRule(choice), ListOptionsOf(choice),
                              RandomStream(context.seed, "policy"));
}

std::unique_ptr<ScoringRule> PremaOf(const PolicyChoice& choice) {
  return MakePrema(choice["tokens"] == "since-last-run" ? TokenRule::kSinceLastRun
                                                        : TokenRule::kSinceLastUpdate);
}

Result<std::unique_ptr<SchedulingPolicy>> MakeRandom(const PolicyChoice& choice,
                                                     const PolicyContext& context) {
  return MakeRandomPolicy(choice.Canonical(), {.drop = DropOf(choice)},
                          RandomStream(context.seed, "policy"));
}

Result<std::unique_ptr<SchedulingPolicy>> MakeFixed(const PolicyChoice&,
                                                    const PolicyContext& context) {
  if (context.plan == nullptr)
    return Fail("policy fixed-plan needs a plan: --plan PLAN.csv with --profile and --requests");
  return MakeFixedPlanPolicy(*context.plan);
}

std::unique_ptr<ScoringRule> DystaOf(const PolicyChoice&) { return MakeDysta(); }

std::unique_ptr<ScoringRule> Sdrm3Of(const PolicyChoice& choice) {
  return MakeSdrm3(LateOf(choice));
}

std::unique_ptr<ScoringRule> VtcOf(const PolicyChoice&) { return MakeVirtualTokenCounters(); }

std::unique_ptr<ScoringRule> DbpOf(const PolicyChoice&) { return MakeDistanceBasedPriority(); }

std::unique_ptr<ScoringRule> DeficitOf(const PolicyChoice&) { return MakeLargestDeficitFirst(); }

std::unique_ptr<ScoringRule> EdfShareOf(const PolicyChoice&) { return MakeEdfShare(); }

Result<std::unique_ptr<SchedulingPolicy>> MakeHeraldOf(const PolicyChoice& choice,
                                                       const PolicyContext&) {
  HeraldOptions options{
      .order = choice["order"] == "depth" ? HeraldOrder::kDepth : HeraldOrder::kBreadth,
      .drop = DropOf(choice),
      .waiting = WaitOf(choice)};
  if (choice["metric"] == "energy") options.metric = HeraldMetric::kEnergy;
  if (choice["metric"] == "edp") options.metric = HeraldMetric::kEnergyDelay;
  options.imbalance = choice["imbalance"] == "any" ? std::numeric_limits<double>::infinity()
                                                   : ParseNumber(choice["imbalance"]).value();
  return MakeHerald(choice.Canonical(), options);
}

Result<std::unique_ptr<SchedulingPolicy>> MakeAiMtOf(const PolicyChoice& choice,
                                                     const PolicyContext& context) {
  const AiMtOptions options{
      .lookahead = static_cast<std::size_t>(ParseNumber(choice["lookahead"]).value()),
      .list = ListOptionsOf(choice)};
  return MakeAiMt(choice.Canonical(), options, RandomStream(context.seed, "policy"));
}

Duration DurationOf(const PolicyChoice& choice, std::string_view key) {
  return choice[key] == "none" ? Duration{} : ParseDuration(choice[key]).value();
}

Result<std::unique_ptr<SchedulingPolicy>> MakeAlpaServeOf(const PolicyChoice& choice,
                                                          const PolicyContext&) {
  return MakeAlpaServe(choice.Canonical(),
                       {.overhead = DurationOf(choice, "overhead"), .drop = DropOf(choice)});
}

Result<std::unique_ptr<SchedulingPolicy>> MakeClockworkOf(const PolicyChoice& choice,
                                                          const PolicyContext&) {
  return MakeClockwork(choice.Canonical(), {.ahead = DurationOf(choice, "ahead"),
                                            .margin = DurationOf(choice, "margin")});
}

Result<std::unique_ptr<SchedulingPolicy>> MakePlanariaOf(const PolicyChoice& choice,
                                                         const PolicyContext&) {
  return MakePlanaria(choice.Canonical(), {.late = LateOf(choice), .drop = DropOf(choice)});
}

Result<std::unique_ptr<SchedulingPolicy>> MakeMocaOf(const PolicyChoice& choice,
                                                     const PolicyContext&) {
  const CutRule cut = choice["cut"] == "normalised" ? CutRule::kNormalised : CutRule::kPublished;
  return MakeMoca(choice.Canonical(), {.cut = cut, .drop = DropOf(choice)});
}

Result<std::unique_ptr<SchedulingPolicy>> MakeFreeForAllOf(const PolicyChoice& choice,
                                                           const PolicyContext&) {
  return MakeFreeForAll(choice.Canonical(), {.drop = DropOf(choice)});
}

Result<std::unique_ptr<SchedulingPolicy>> MakeStaticPartitionOf(const PolicyChoice& choice,
                                                                const PolicyContext&) {
  const CutBy cut = choice["cut"] == "units" ? CutBy::kUnits : CutBy::kMixed;
  return MakeStaticPartition(choice.Canonical(), {.cut = cut, .drop = DropOf(choice)});
}

const std::vector<PolicyEntry>& Table() {
  static const std::vector<PolicyEntry> table = {
      {"fcfs-h",
       "first come, first served; earliest believed finish",
       {kDrop, kPlace, kWait},
       &MakeList<MakeFirstComeFirstServed>},
      {"edf-h",
       "earliest deadline first; earliest believed finish",
       {kDrop, kPlace, kWait},
       &MakeList<MakeEarliestDeadlineFirst>},
      {"sjf",
       "shortest remaining job first; earliest believed finish",
       {kDrop, kPlace, kWait},
       &MakeList<MakeShortestJobFirst>},
      {"least-laxity",
       "least slack beyond the remaining work first; earliest believed finish",
       {kDrop, kPlace, kWait},
       &MakeList<MakeLeastLaxityFirst>},
      {"round-robin",
       "one segment of each tenant in turn; earliest believed finish",
       {kDrop, kPlace, kWait},
       &MakeList<MakeTenantRoundRobin>},
      {"prema-h",
       "tokens by priority and waiting, then the shortest; earliest believed finish",
       {kTokens, kDrop, kPlace, kWait},
       &MakeScored<PremaOf>},
      {"dysta",
       "shortest job first, corrected by slack and waiting; earliest believed finish",
       {kDrop, kPlace, kWait},
       &MakeScored<DystaOf>},
      {"sdrm3",
       "urgency plus starvation; earliest believed finish",
       {kLate, kDrop, kPlace, kWait},
       &MakeScored<Sdrm3Of>},
      {"vtc",
       "the tenant that has received least work for its weight; earliest believed finish",
       {kDrop, kPlace, kWait},
       &MakeScored<VtcOf>},
      {"dbp",
       "the agreement whose window promise breaks soonest; earliest believed finish",
       {kDrop, kPlace, kWait},
       &MakeScored<DbpOf>},
      {"deficit",
       "the agreement furthest below its promise; earliest believed finish",
       {kDropUnlessAsked, kPlace, kWait},
       &MakeScored<DeficitOf>},
      {"edf-share",
       "ours: fair shares of hits; finishes what it starts",
       {kDropUnlessAsked, kPlace, kWait},
       &MakeScored<EdfShareOf>},
      {"herald",
       "each segment to the accelerator that it prefers, unless that is too far behind",
       {kMetric, kImbalance, kOrder, kDrop, kWait},
       &MakeHeraldOf},
      {"ai-mt",
       "segments that need the memory beside segments that compute; earliest believed finish",
       {kLookahead, kDrop, kPlace, kWait},
       &MakeAiMtOf},
      {"alpaserve",
       "refuses on arrival what is predicted to be late; then first come, first served",
       {kOverhead, kDrop},
       &MakeAlpaServeOf},
      {"clockwork",
       "starts nothing that would be late: latest start first, in the largest batch in time",
       {kAhead, kMargin},
       &MakeClockworkOf},
      {"planaria",
       "divides units: as few as meet each deadline, the rest by priority over remaining time",
       {kLate, kDrop},
       &MakePlanariaOf},
      {"moca",
       "throttles the bandwidth of what starts while the memory is overdrawn, by urgency",
       {kMocaCut, kDrop},
       &MakeMocaOf},
      {"free-for-all",
       "starts everything wherever there is room; co-runners divide the units equally",
       {kDrop},
       &MakeFreeForAllOf},
      {"static-partition",
       "cuts the platform among tenants by weight, once; each part by earliest deadline",
       {kPartitionCut, kDrop},
       &MakeStaticPartitionOf},
      {"random", "any ready segment on any idle accelerator that can run it", {kDrop}, &MakeRandom},
      {"fixed-plan", "carries out a plan made beforehand (--plan), to the letter", {}, &MakeFixed},
  };
  return table;
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

Result<PolicyChoice> Choose(std::string_view spec) {
  const std::size_t colon = spec.find(':');
  const std::string_view name = spec.substr(0, colon);
  const auto& table = Table();
  const auto entry = std::ranges::find(table, name, &PolicyEntry::name);
  if (entry == table.end()) {
    std::vector<std::string_view> names;
    for (const PolicyEntry& known : table) names.push_back(known.name);
    return Fail("unknown policy '{}'{}", name, Suggest(name, names));
  }
  PolicyChoice chosen{.entry = &*entry, .values = {}};
  std::vector<std::string_view> keys;
  for (const PolicyOption& option : entry->options) {
    keys.push_back(option.key);
    chosen.values.emplace_back(Split(option.values, '|').front());
  }
  if (colon == std::string_view::npos) return chosen;
  std::vector<std::string_view> seen;
  for (std::string_view part : Split(spec.substr(colon + 1), ';')) {
    const std::size_t equals = part.find('=');
    const std::string_view key = part.substr(0, equals);
    const auto option = std::ranges::find(entry->options, key, &PolicyOption::key);
    if (equals == std::string_view::npos || option == entry->options.end())
      return Fail("policy {} has no option '{}'{}", name, part, Suggest(key, keys));
    if (std::ranges::find(seen, key) != seen.end())
      return Fail("option '{}' of policy {} stands twice", key, name);
    seen.push_back(key);
    const std::string_view value = part.substr(equals + 1);
    const auto values = Split(option->values, '|');
    if (std::ranges::find(values, value) == values.end())
      return Fail("option '{}' of policy {} cannot be '{}'{}", key, name, value,
                  Suggest(value, values));
    chosen.values[static_cast<std::size_t>(option - entry->options.begin())] = value;
  }
  return chosen;
}

}  // namespace

std::span<const PolicyEntry> Policies() { return Table(); }

std::string_view PolicyChoice::operator[](std::string_view key) const {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (entry->options[i].key == key) return values[i];
  }
  CHECK_MSG(false, "no such option");
}

std::string PolicyChoice::Canonical() const {
  std::string text{entry->name};
  char separator = ':';
  for (std::size_t i = 0; i < values.size(); ++i) {
    const PolicyOption& option = entry->options[i];
    if (values[i] == Split(option.values, '|').front()) continue;
    text += separator;
    text += option.key;
    text += '=';
    text += values[i];
    separator = ';';
  }
  return text;
}

Result<std::string> CanonicalPolicy(std::string_view spec) {
  ASSIGN_OR_RETURN(const PolicyChoice choice, Choose(spec));
  return choice.Canonical();
}

Result<std::unique_ptr<SchedulingPolicy>> MakePolicy(std::string_view spec,
                                                     const PolicyContext& context) {
  ASSIGN_OR_RETURN(const PolicyChoice choice, Choose(spec));
  return choice.entry->make(choice, context);
}

Result<std::vector<std::string>> ParsePolicyList(std::string_view text) {
  std::vector<std::string> list;
  for (std::string_view part : Split(text, ',')) {
    if (part == "all") {
      for (const PolicyEntry& entry : Table()) {
        if (entry.name != "fixed-plan") list.emplace_back(entry.name);
      }
      continue;
    }
    ASSIGN_OR_RETURN(std::string canonical, CanonicalPolicy(part));
    list.push_back(std::move(canonical));
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (std::find(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(i), list[i]) !=
        list.begin() + static_cast<std::ptrdiff_t>(i))
      return Fail("policy {} stands twice", list[i]);
  }
  return list;
}

}  // namespace fairlead
