#include "fairlead/world/policy_registry.h"

#include <algorithm>
#include <utility>

#include "fairlead/base/check.h"
#include "fairlead/base/units.h"
#include "fairlead/policies/deficit.h"
#include "fairlead/policies/dysta.h"
#include "fairlead/policies/fixed_plan.h"
#include "fairlead/policies/scored_list_policy.h"
#include "fairlead/policies/temporal_rule.h"
#include "fairlead/scenario/files.h"
#include "fairlead/scenario/split.h"
#include "fairlead/world/mechanism_registry.h"
#include "fairlead/world/policy_options.h"
#include "fairlead/world/policy_plugin.h"

namespace fairlead {
namespace {

using MadePolicy = Result<std::unique_ptr<SchedulingPolicy>>;

// Names and options, canonical.
Result<LookAheadOptions> WithEarlyDrops(LookAheadOptions options) {
  for (std::string& policy : options.policies) {
    const auto entry = std::ranges::find(Policies(), policy, &PolicyEntry::name);
    if (entry == Policies().end() || entry->needs.plan || policy == "hindsight")
      return Fail("policy hindsight: cannot choose among others than listed policies: '{}'",
                  policy);
    if (auto early = WithEarlyDrop(*entry)) policy = std::move(*early);
  }
  return options;
}

// A row of the table. Policies share options, so the defaults may differ from the struct's.
template <typename Options>
struct Row {
  std::string_view name;
  std::string_view description;
  MadePolicy (*make)(std::string name, const Options&, const PolicyContext&);
  Options defaults{};
  PolicyNeeds needs{};
};

template <typename Options>
PolicyEntry Entry(const Row<Options>& row) {
  Options described = row.defaults;
  std::vector<OptionInfo> infos;
  for (BoundOption& option : OptionsOf(described)) infos.push_back(std::move(option.info));
  const auto choose = [row](std::optional<std::string_view> text) -> Result<PolicyChoice> {
    Options options = row.defaults;
    const OptionTable table = OptionsOf(options);
    if (text.has_value())
      RETURN_IF_ERROR(SetOptions(table, fmt::format("policy {}", row.name), *text));
    const std::string changed = OptionsText(table);
    std::string canonical =
        changed.empty() ? std::string(row.name) : fmt::format("{}:{}", row.name, changed);
    const auto make = [make = row.make, options, canonical](const PolicyContext& context) {
      return make(canonical, options, context);
    };
    PolicyChoice choice{.canonical = std::move(canonical), .needs = row.needs, .make = make};
    if constexpr (std::is_same_v<Options, LookAheadOptions>) {
      ASSIGN_OR_RETURN(choice.look_ahead, WithEarlyDrops(options));
    }
    return choice;
  };
  return {.name = row.name,
          .description = row.description,
          .needs = row.needs,
          .options = std::move(infos),
          .choose = choose};
}

RandomStream StreamOf(const PolicyContext& context) { return RandomStream(context.seed, "policy"); }

template <std::unique_ptr<TemporalRule> (*kMakeRule)()>
MadePolicy MakeList(std::string name, const ListPolicyOptions& options,
                    const PolicyContext& context) {
  return MakeListPolicy(std::move(name), kMakeRule(), options, StreamOf(context));
}

template <std::unique_ptr<ScoringRule> (*kMakeRule)()>
MadePolicy MakeScored(std::string name, const ListPolicyOptions& options,
                      const PolicyContext& context) {
  return MakeScoredListPolicy(std::move(name), kMakeRule(), options, StreamOf(context));
}

MadePolicy MakeSdrm3List(std::string name, const Sdrm3Options& options,
                         const PolicyContext& context) {
  return MakeScoredListPolicy(std::move(name), MakeSdrm3(options.late), options.list,
                              StreamOf(context));
}

MadePolicy MakeVtcList(std::string name, const VtcOptions& options, const PolicyContext& context) {
  return MakeVtc(std::move(name), options, StreamOf(context));
}

MadePolicy MakeDbpList(std::string name, const DbpOptions& options, const PolicyContext& context) {
  return MakeScoredListPolicy(std::move(name), MakeDistanceBasedPriority(options.best_effort),
                              options.list, StreamOf(context));
}

MadePolicy MakeFairleadList(std::string name, const FairleadOptions& options,
                            const PolicyContext& context) {
  return MakeScoredListPolicy(std::move(name), MakeFairleadRule(options.triage), options.list,
                              StreamOf(context));
}

// A policy that draws nothing.
template <typename Options, std::unique_ptr<SchedulingPolicy> (*kMake)(std::string, const Options&)>
MadePolicy Make(std::string name, const Options& options, const PolicyContext& /*context*/) {
  return kMake(std::move(name), options);
}

template <typename Options,
          std::unique_ptr<SchedulingPolicy> (*kMake)(std::string, const Options&, RandomStream)>
MadePolicy MakeDrawing(std::string name, const Options& options, const PolicyContext& context) {
  return kMake(std::move(name), options, StreamOf(context));
}

template <Awareness kAwareness>
MadePolicy MakeLearned(std::string name, const LearnedPolicyOptions& options,
                       const PolicyContext& context) {
  return MakeShippedGruPolicy(kAwareness, std::move(name), options, context);
}

// Under the name of the whole.
class FirstOfSeveral final : public SchedulingPolicy {
 public:
  FirstOfSeveral(std::string name, std::unique_ptr<SchedulingPolicy> first)
      : name_(std::move(name)), first_(std::move(first)) {}
  std::string_view Name() const override { return name_; }
  void Observe(const SystemView& view, const Event& event) override {
    first_->Observe(view, event);
  }
  void Decide(const SystemView& view, SchedulingPlan& plan) override { first_->Decide(view, plan); }

 private:
  std::string name_;
  std::unique_ptr<SchedulingPolicy> first_;
};

MadePolicy MakeHindsight(std::string name, const LookAheadOptions& options,
                         const PolicyContext& context) {
  ASSIGN_OR_RETURN(auto first, MakePolicy(options.policies.front(), context));
  return std::make_unique<FirstOfSeveral>(std::move(name), std::move(first));
}

MadePolicy MakeFixed(std::string /*name*/, const NoOptions&,  // NOLINT: as all of them
                     const PolicyContext& context) {
  if (context.plan.empty())
    return Fail("policy fixed-plan needs a plan: --plan PLAN.csv with --profile and --requests");
  ASSIGN_OR_RETURN(const std::string text, context.read(context.plan));
  ASSIGN_OR_RETURN(const FixedPlan plan, ParseFixedPlan(context.plan, text, *context.platform));
  return MakeFixedPlanPolicy(plan);
}

MadePolicy MakeSharedEdf(std::string name, const SharedEdfOptions& options,
                         const PolicyContext& /*context*/) {
  ASSIGN_OR_RETURN(MechanismChoice choice, ChooseMechanism(options.mechanism));
  const auto make = [choice = std::move(choice)](const Market& market) {
    auto made = choice.make(market);
    CHECK(made.has_value());
    return std::move(*made);
  };
  return MakeMechanismPolicy(std::move(name), make, options.policy);
}

// Accelerators that the platform lacks are a mistake; networks may belong to other scenarios.
MadePolicy MakeRouted(std::string name, const RoutedOptions& options,
                      const PolicyContext& context) {
  GoalDirectedOptions policy = options.policy;
  if (options.ratios == "speed" || options.ratios == "equal") {
    policy.usual = options.ratios == "speed" ? UsualRatios::kSpeed : UsualRatios::kEqual;
    return MakeGoalDirected(std::move(name), policy, {});
  }
  ASSIGN_OR_RETURN(const std::string text, context.read(options.ratios));
  ASSIGN_OR_RETURN(AllocationRatios ratios, ParseAllocationRatios(options.ratios, text));
  for (const AllocationRatios::Row& row : ratios.rows) {
    if (context.platform != nullptr && !context.platform->FindAccelerator(row.accelerator).valid())
      return Fail("{}: the platform has no accelerator '{}'", options.ratios, row.accelerator);
  }
  return MakeGoalDirected(std::move(name), policy, std::move(ratios));
}

std::vector<PolicyEntry> ListPolicies() {
  using List = Row<ListPolicyOptions>;
  return {
      Entry(List{"fcfs-h", "first come, first served; earliest believed finish",
                 &MakeList<MakeFirstComeFirstServed>}),
      Entry(List{"edf-h", "earliest deadline first; earliest believed finish",
                 &MakeList<MakeEarliestDeadlineFirst>}),
      Entry(List{"sjf", "shortest remaining job first; earliest believed finish",
                 &MakeList<MakeShortestJobFirst>}),
      Entry(List{"least-laxity",
                 "least slack beyond the remaining work first; earliest believed finish",
                 &MakeList<MakeLeastLaxityFirst>}),
      Entry(List{"round-robin", "one segment of each tenant in turn; earliest believed finish",
                 &MakeList<MakeTenantRoundRobin>}),
      Entry(Row<PremaOptions>{
          "prema-h", "tokens by priority and waiting, then the shortest; earliest believed finish",
          &MakeDrawing<PremaOptions, MakePrema>}),
      Entry(List{"dysta",
                 "shortest job first, corrected by slack and waiting; earliest believed finish",
                 &MakeDrawing<ListPolicyOptions, MakeDysta>}),
      Entry(Row<Sdrm3Options>{"sdrm3", "urgency plus starvation; earliest believed finish",
                              &MakeSdrm3List}),
      Entry(Row<VtcOptions>{
          "vtc", "the tenant that has received least work for its weight; earliest believed finish",
          &MakeVtcList}),
      Entry(Row<DbpOptions>{
          "dbp", "the agreement whose window promise breaks soonest; earliest believed finish",
          &MakeDbpList}),
      Entry(List{"deficit", "the agreement furthest below its promise; earliest believed finish",
                 &MakeScored<MakeLargestDeficitFirst>, kDeficitDefaults}),
      Entry(List{"edf-share", "ours: fair shares of hits; finishes what it starts",
                 &MakeScored<MakeEdfShare>, kEdfShareDefaults}),
      Entry(Row<FairleadOptions>{
          "fairlead",
          "ours: keeps promises, the dearest first; shares what is left; holds off who floods",
          &MakeFairleadList}),
  };
}

std::vector<PolicyEntry> OtherPolicies() {
  return {
      Entry(Row<HeraldOptions>{
          "herald",
          "each segment to the accelerator that it prefers, unless that is too far behind",
          &Make<HeraldOptions, MakeHerald>}),
      Entry(Row<AiMtOptions>{
          "ai-mt",
          "segments that need the memory beside segments that compute; earliest believed finish",
          &MakeDrawing<AiMtOptions, MakeAiMt>}),
      Entry(Row<AlpaServeOptions>{
          "alpaserve",
          "refuses on arrival what is predicted to be late; then first come, first served",
          &Make<AlpaServeOptions, MakeAlpaServe>}),
      Entry(Row<ClockworkOptions>{
          "clockwork",
          "starts nothing that would be late: latest start first, in the largest batch in time",
          &Make<ClockworkOptions, MakeClockwork>}),
      Entry(Row<PlanariaOptions>{
          "planaria",
          "divides units: as few as meet each deadline, the rest by priority over remaining time",
          &Make<PlanariaOptions, MakePlanaria>}),
      Entry(Row<MocaOptions>{
          "moca",
          "throttles the bandwidth of what starts while the memory is overdrawn, by urgency",
          &Make<MocaOptions, MakeMoca>}),
      Entry(Row<FreeForAllOptions>{
          "free-for-all",
          "starts everything wherever there is room; co-runners divide the units equally",
          &Make<FreeForAllOptions, MakeFreeForAll>}),
      Entry(Row<StaticPartitionOptions>{
          "static-partition",
          "cuts the platform among tenants by weight, once; each part by earliest deadline",
          &Make<StaticPartitionOptions, MakeStaticPartition>}),
      Entry(Row<SharedEdfOptions>{
          "most-token-first+edf",
          "accelerators held for rounds, for tokens (mechanism=: other rules); earliest deadline",
          &MakeSharedEdf}),
      Entry(Row<SloMaelOptions>{
          "slo-mael",
          "to the accelerator where all that wait are served soonest on average, and in time",
          &Make<SloMaelOptions, MakeSloMael>}),
      Entry(Row<RandomPolicyOptions>{"random",
                                     "any ready segment on any idle accelerator that can run it",
                                     &MakeDrawing<RandomPolicyOptions, MakeRandomPolicy>}),
      Entry(Row<NoOptions>{
          .name = "fixed-plan",
          .description = "carries out a plan made beforehand (--plan), to the letter",
          .make = &MakeFixed,
          .needs = {.plan = true}}),
  };
}

// Learned, or searched for, beforehand.
std::vector<PolicyEntry> TrainedPolicies() {
  return {
      Entry(Row<LearnedPolicyOptions>{
          "rl-baseline",
          "learned: a recurrent network for hits; knows nothing of what was promised",
          &MakeLearned<Awareness::kUnaware>}),
      Entry(Row<LearnedPolicyOptions>{
          "rl-sla",
          "learned: a recurrent network that sees how far each agreement is from its promise",
          &MakeLearned<Awareness::kIndicators>}),
      Entry(Row<RoutedOptions>{
          "goal-directed",
          "each network's requests to accelerators by ratios that a search found for a goal",
          &MakeRouted}),
  };
}

// Beside the run (running/look_ahead.h).
std::vector<PolicyEntry> LookingAhead() {
  return {Entry(Row<LookAheadOptions>{
      "hindsight",
      "ours: the one of several that, simulated with the recent requests, keeps most promises",
      &MakeHindsight,
      {.policies = {"fairlead", "planaria", "sjf", "moca", "slo-mael", "dysta", "fcfs-h", "edf-h",
                    "clockwork"}}})};
}

// For accelerators of several units.
std::vector<PolicyEntry> DividingPolicies() {
  return {
      Entry(Row<PartiesOptions>{
          "parties",
          "cuts the platform among tenants, and moves a unit at a time to whose requests are slow",
          &Make<PartiesOptions, MakeParties>}),
      Entry(Row<VeltairOptions>{
          "veltair",
          "blocks of layers on as few units as their part of the time to the deadline allows",
          &Make<VeltairOptions, MakeVeltair>}),
  };
}

const std::vector<PolicyEntry>& Table() {
  static const std::vector<PolicyEntry> table = [] {
    std::vector<PolicyEntry> all = ListPolicies();
    for (PolicyEntry& entry : OtherPolicies()) all.push_back(std::move(entry));
    for (PolicyEntry& entry : TrainedPolicies()) all.push_back(std::move(entry));
    for (PolicyEntry& entry : DividingPolicies()) all.push_back(std::move(entry));
    for (PolicyEntry& entry : LookingAhead()) all.push_back(std::move(entry));
    return all;
  }();
  return table;
}

}  // namespace

std::span<const PolicyEntry> Policies() { return Table(); }

Result<PolicyChoice> ChoosePolicy(std::string_view spec) {
  const std::size_t colon = spec.find(':');
  const std::string_view name = spec.substr(0, colon);
  std::optional<std::string_view> options;
  if (colon != std::string_view::npos) options = spec.substr(colon + 1);
  if (const PolicyEntry* const plugin = FindPlugin(name); plugin != nullptr)
    return plugin->choose(options);
  if (IsPluginFile(name))
    return Fail("{}: only --policy on the command line names a policy from a file", name);
  const auto entry = std::ranges::find(Table(), name, &PolicyEntry::name);
  if (entry == Table().end()) {
    std::vector<std::string_view> names;
    for (const PolicyEntry& known : Table()) names.push_back(known.name);
    return Fail("unknown policy '{}'{}", name, Suggest(name, names));
  }
  return entry->choose(options);
}

Result<std::string> CanonicalPolicy(std::string_view spec) {
  ASSIGN_OR_RETURN(PolicyChoice choice, ChoosePolicy(spec));
  return std::move(choice.canonical);
}

Result<std::unique_ptr<SchedulingPolicy>> MakePolicy(std::string_view spec,
                                                     const PolicyContext& context) {
  ASSIGN_OR_RETURN(const PolicyChoice choice, ChoosePolicy(spec));
  return choice.make(context);
}

std::optional<std::string> WithEarlyDrop(const PolicyEntry& policy) {
  const auto drop = std::ranges::find(policy.options, "drop", &OptionInfo::key);
  if (drop == policy.options.end() || drop->default_value == "early") return std::nullopt;
  return std::string(policy.name) + ":drop=early";
}

Result<std::vector<std::string>> ParsePolicyList(std::string_view text) {
  std::vector<std::string> list;
  for (std::string_view part : SplitAt(text, ',')) {
    if (part == "all") {
      for (const PolicyEntry& entry : Table()) {
        if (entry.needs.plan) continue;
        list.emplace_back(entry.name);
        if (auto early = WithEarlyDrop(entry)) list.push_back(std::move(*early));
      }
      continue;
    }
    ASSIGN_OR_RETURN(std::string canonical, CanonicalPolicy(part));
    list.push_back(std::move(canonical));
  }
  for (auto spec = list.begin(); spec != list.end(); ++spec) {
    if (std::find(list.begin(), spec, *spec) != spec) return Fail("policy {} stands twice", *spec);
  }
  return list;
}

std::vector<std::string> SampleSpecs(const PolicyEntry& policy) {
  std::vector<std::string> specs = {std::string(policy.name)};
  for (const OptionInfo& option : policy.options) {
    for (const std::string& value : option.samples) {
      if (value != option.default_value)
        specs.push_back(fmt::format("{}:{}={}", policy.name, option.key, value));
    }
  }
  return specs;
}

}  // namespace fairlead
