#include "fairlead/world/mechanism_registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "fairlead/base/units.h"
#include "fairlead/scenario/files.h"
#include "fairlead/scenario/split.h"
#include "fairlead/sharing/actor_critic.h"
#include "fairlead/sharing/cbc/count_program.h"
#include "fairlead/sharing/hedge.h"
#include "fairlead/sharing/mechanisms.h"

namespace fairlead {

namespace {

constexpr std::string_view kShippedActor = "data/sharing/actor.txt";

OptionTable HedgeTable(HedgeOptions& options) {
  using Sign = HedgeOptions::Sign;
  return {
      NumberOption("rate", "how fast weights grow with rewards", options.rate,
                   {.low = 1e-6, .high = 1000, .unlimited = ""}, {"0.1", "0.5"}),
      WordOption("sign", "tokens left are no reward, a punishment (4.2) or a reward", options.sign,
                 {{"none", Sign::kNone}, {"text", Sign::kText}, {"saving", Sign::kSaving}})};
}

struct OwnActorCriticsChoice {
  ActorCriticOptions options;
  std::size_t episodes = 20;
};

OptionTable OwnTable(OwnActorCriticsChoice& choice) {
  return {CountOption("episodes", "that agents learn in before the run, on other arrivals",
                      choice.episodes, {.low = 0, .high = 10'000}, {"1", "20"}),
          NumberOption("rate", "of the actors' steps; the critics' are ten times as long",
                       choice.options.actor_rate, {.low = 1e-6, .high = 1, .unlimited = ""},
                       {"0.002"})};
}

std::string Spec(std::string_view name, const OptionTable& table) {
  const std::string chosen = OptionsText(table);
  return chosen.empty() ? std::string(name) : fmt::format("{}:{}", name, chosen);
}

Result<ThresholdsChoice> ChooseFixed(std::string_view number) {
  const auto value = ParseNumber(number);
  if (!value.has_value() || !(*value >= 0 && *value < 1))
    return Fail("'{}' is no threshold; expected a number in [0, 1)", number);
  return ThresholdsChoice{
      .canonical = fmt::format("fixed:{}", *value),
      .make = [threshold = *value](const Market& market, const SharingMechanism& /*mechanism*/,
                                   std::uint64_t /*seed*/) {
        return MakeFixedThresholds(market, threshold);
      }};
}

Result<ThresholdsChoice> ChooseHedge(std::optional<std::string_view> text) {
  HedgeOptions options;
  const OptionTable table = HedgeTable(options);
  if (text.has_value()) RETURN_IF_ERROR(SetOptions(table, "thresholds hedge", *text));
  return ThresholdsChoice{.canonical = Spec("hedge", table),
                          .make = [options](const Market& market, const SharingMechanism& mechanism,
                                            std::uint64_t seed) {
                            return mechanism.Clone() == nullptr ? MakeFixedThresholds(market, 0)
                                                                : MakeHedge(market, options, seed);
                          }};
}

Result<ThresholdsChoice> ChooseOwn(std::optional<std::string_view> text) {
  OwnActorCriticsChoice choice;
  const OptionTable table = OwnTable(choice);
  if (text.has_value()) RETURN_IF_ERROR(SetOptions(table, "thresholds own-actor-critics", *text));
  choice.options.critic_rate = 10 * choice.options.actor_rate;
  return ThresholdsChoice{
      .canonical = Spec("own-actor-critics", table),
      .make = [choice](
                  const Market& market, const SharingMechanism& /*mechanism*/,
                  std::uint64_t seed) { return MakeOwnActorCritics(market, choice.options, seed); },
      .episodes = static_cast<int>(choice.episodes)};
}

Result<ThresholdsChoice> ChooseActor(std::optional<std::string_view> file) {
  std::string text;
  if (file.has_value()) {
    ASSIGN_OR_RETURN(text, ReadFile(std::string(*file)));
  } else {
    text = EmbeddedText(kShippedActor);
  }
  auto actor = ParseNetwork(text, kActorName, kActorVersion);
  if (!actor.has_value())
    return Fail("{}: {}", file.value_or(kShippedActor), actor.error().message);
  if (actor->inputs() != kActorInputs || actor->outputs() != kThresholds)
    return Fail("{}: a network of {} inputs and {} outputs; expected {} and {}",
                file.value_or(kShippedActor), actor->inputs(), actor->outputs(), kActorInputs,
                kThresholds);
  return ThresholdsChoice{
      .canonical = file.has_value() ? fmt::format("actor-critic:{}", *file) : "actor-critic",
      .make = [network = std::move(*actor)](
                  const Market& market, const SharingMechanism& /*mechanism*/, std::uint64_t seed) {
        return MakeActor(market, network, seed);
      }};
}

std::vector<OptionInfo> Infos(const OptionTable& table) {
  std::vector<OptionInfo> infos;
  for (const BoundOption& option : table) infos.push_back(option.info);
  return infos;
}

const std::vector<ThresholdsEntry>& RuleTable() {
  static const std::vector<ThresholdsEntry> kTable = [] {
    HedgeOptions hedge;
    OwnActorCriticsChoice own;
    return std::vector<ThresholdsEntry>{
        {.name = "fixed", .description = "fixed:0.3, the same for all, always", .options = {}},
        {.name = "hedge",
         .description = "no-regret learning while it runs, for each budget",
         .options = Infos(HedgeTable(hedge))},
        {.name = "actor-critic",
         .description = "a network that was trained, or actor-critic:FILE for one of one's own",
         .options = {}},
        {.name = "own-actor-critics",
         .description = "networks of each agent's own, which learn before the run and in it",
         .options = Infos(OwnTable(own))}};
  }();
  return kTable;
}

}  // namespace

std::span<const ThresholdsEntry> ThresholdRules() { return RuleTable(); }

Result<ThresholdsChoice> ChooseThresholds(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  std::optional<std::string_view> rest;
  if (colon != std::string_view::npos) rest = text.substr(colon + 1);
  if (name == "fixed" && rest.has_value()) return ChooseFixed(*rest);
  if (name == "hedge") return ChooseHedge(rest);
  if (name == "actor-critic") return ChooseActor(rest);
  if (name == "own-actor-critics") return ChooseOwn(rest);
  return Fail(
      "'{}' says no thresholds; expected fixed: and a number in [0, 1), such as fixed:0.3, "
      "hedge, actor-critic or own-actor-critics",
      text);
}

namespace {

struct NoMechanismOptions {};

OptionTable TableOf(NoMechanismOptions& /*options*/) { return {}; }

OptionTable TableOf(MostTokenFirstOptions& options) {
  using Options = MostTokenFirstOptions;
  return {
      CountOption("tokens", "in all, for each accelerator", options.tokens,
                  {.low = 1, .high = 1'000'000}, {"1", "4"}),
      WordOption("price", "what buys: any budget above 0, a debt may be left; or a whole token",
                 options.price,
                 {{"any", Options::Price::kAnyPositive}, {"whole", Options::Price::kWholeToken}}),
      WordOption("ties", "of equal budgets: who comes first changes by round, or never",
                 options.ties,
                 {{"rotate", Options::Ties::kRotate}, {"lowest", Options::Ties::kLowest}}),
      WordOption("useless", "what is worth nothing to an agent: taken like the rest, or not",
                 options.useless,
                 {{"taken", Options::Useless::kTaken}, {"idle", Options::Useless::kIdle}})};
}

OptionTable TableOf(MostTokenFirstPlusOptions& options) {
  return {CountOption("tokens", "in all, for each accelerator", options.tokens,
                      {.low = 1, .high = 1'000'000}, {"1", "4"}),
          NumberOption("sway", "of budgets on bids", options.sway,
                       {.low = 0, .high = 1000, .unlimited = ""}, {"0", "0.1"}),
          WordOption("stakes", "what would expire is bid for by weight, or counts like the rest",
                     options.stakes, {{"counted", true}, {"ignored", false}})};
}

OptionTable TableOf(GreedyOptions& options) {
  using By = GreedyOptions::By;
  return {WordOption("by", "what an accelerator would do, or what of that is lost without it",
                     options.by, {{"utility", By::kUtility}, {"stake", By::kStake}})};
}

OptionTable TableOf(TokenGameOptions& options) {
  return {CountOption("tokens", "in all, for each big accelerator", options.tokens,
                      {.low = 1, .high = 1'000'000}, {"1", "2"})};
}

OptionTable TableOf(GandivaFairOptions& options) {
  using Options = GandivaFairOptions;
  return {
      WordOption("scope", "a pass for each accelerator, or one for all", options.scope,
                 {{"each", Options::Scope::kEach}, {"pool", Options::Scope::kPool}}),
      WordOption("queues", "turns are for agents with work there, or for all alike", options.queues,
                 {{"seen", Options::Queues::kSeen}, {"blind", Options::Queues::kBlind}}),
      WordOption(
          "trading", "fast accelerators for slow ones at the second price", options.trading,
          {{"none", Options::Trading::kNone}, {"second-price", Options::Trading::kSecondPrice}})};
}

OptionTable TableOf(DynamicPartitionOptions& options) {
  using First = DynamicPartitionOptions::First;
  return {WordOption("first", "who chooses first changes by round, or never", options.first,
                     {{"rotate", First::kRotate}, {"fixed", First::kFixed}})};
}

OptionTable TableOf(KarmaOptions& options) {
  return {CountOption("guaranteed", "per cent of its share that is an agent's own",
                      options.guaranteed, {.low = 0, .high = 100}, {"0", "50", "100"})};
}

struct ThemisChoice {
  enum class Tie { kAny, kLexicographic };
  enum class Solver { kSearch, kCbc, kAuction };
  ThemisOptions options;
  Tie tie = Tie::kAny;
  Solver solver = Solver::kSearch;
  double limit = 1;
  std::size_t offer = 100;
};

OptionTable TableOf(ThemisChoice& choice) {
  using Rho = ThemisOptions::Rho;
  using Work = ThemisOptions::Work;
  using Which = ThemisOptions::Which;
  using Choice = ThemisChoice;
  return {
      WordOption("rho", "measured against 1/n of all, or against the weight's share",
                 choice.options.rho, {{"equal", Rho::kEqual}, {"weighted", Rho::kWeighted}}),
      WordOption("work", "rho by rates alone, or by what waits, without a program",
                 choice.options.work, {{"rates", Work::kRates}, {"waiting", Work::kWaiting}}),
      WordOption("which", "accelerators of a kind: where most waits, or in turns",
                 choice.options.which, {{"useful", Which::kUseful}, {"turns", Which::kTurns}}),
      WordOption("tie", "of divisions with the same worst rho: any, or the lexicographic best",
                 choice.tie,
                 {{"any", Choice::Tie::kAny}, {"lexicographic", Choice::Tie::kLexicographic}}),
      WordOption("solver",
                 "exact search; CBC (always for the lexicographic tie); or the original's auction "
                 "with hidden payments",
                 choice.solver,
                 {{"search", Choice::Solver::kSearch},
                  {"cbc", Choice::Solver::kCbc},
                  {"auction", Choice::Solver::kAuction}}),
      NumberOption("limit", "seconds for each of CBC's programs", choice.limit,
                   {.low = 0.01, .high = 3600, .unlimited = ""}, {"1"}),
      CountOption("offer",
                  "the auction: per cent of agents, the worst off, that may bid in a round",
                  choice.offer, {.low = 1, .high = 100}, {"100"})};
}

// Of values that do not go together.
template <typename Options>
Status CheckTogether(const Options& /*options*/) {
  return {};
}
Status CheckTogether(const ThemisChoice& choice) {
  if (choice.offer < 100 && choice.solver != ThemisChoice::Solver::kAuction)
    return Fail("mechanism themis: offer={} is the auction's; expected solver=auction beside it",
                choice.offer);
  return {};
}

Result<std::unique_ptr<SharingMechanism>> ChooseThemis(const Market& market,
                                                       const ThemisChoice& choice) {
  ThemisOptions options = choice.options;
  options.offered = static_cast<double>(choice.offer) / 100;
  const bool lexicographic = choice.tie == ThemisChoice::Tie::kLexicographic;
  CountSolver solver = SearchCounts;
  if (lexicographic || choice.solver == ThemisChoice::Solver::kCbc) {
    ASSIGN_OR_RETURN(solver, MakeCbcSolver(lexicographic, choice.limit));
  } else if (choice.solver == ThemisChoice::Solver::kAuction) {
    solver = AuctionCounts;
  } else {
    std::vector<int> available;
    for (int k = 0; k < market.kinds(); ++k) available.push_back(market.count_of_kind(k));
    RETURN_IF_ERROR(CheckSearchable(available));
  }
  return MakeThemis(market, options, std::move(solver));
}

std::vector<OptionInfo> InfosOf(const OptionTable& table) {
  std::vector<OptionInfo> infos;
  for (const BoundOption& option : table) infos.push_back(option.info);
  return infos;
}

template <typename Options, typename Make>
MechanismEntry Entry(std::string_view name, std::string_view description, Make make) {
  Options defaults;
  return {
      .name = name,
      .description = description,
      .options = InfosOf(TableOf(defaults)),
      .choose = [name, make](std::optional<std::string_view> text) -> Result<MechanismChoice> {
        Options options;
        const OptionTable table = TableOf(options);
        if (text.has_value())
          RETURN_IF_ERROR(SetOptions(table, fmt::format("mechanism {}", name), *text));
        RETURN_IF_ERROR(CheckTogether(options));
        const std::string chosen = OptionsText(table);
        return MechanismChoice{
            .canonical = chosen.empty() ? std::string(name) : fmt::format("{}:{}", name, chosen),
            .make = [make, options](const Market& market)
                -> Result<std::unique_ptr<SharingMechanism>> { return make(market, options); }};
      }};
}

template <typename Make>
MechanismEntry Plain(std::string_view name, std::string_view description, Make make) {
  return Entry<NoMechanismOptions>(
      name, description,
      [make](const Market& market, const NoMechanismOptions& /*options*/) { return make(market); });
}

const std::vector<MechanismEntry>& MechanismTable() {
  static const std::vector<MechanismEntry> table = {
      Entry<MostTokenFirstOptions>(
          "most-token-first", "accelerators for tokens, to the richest first", MakeMostTokenFirst),
      Entry<MostTokenFirstPlusOptions>("most-token-first-plus",
                                       "accelerators for tokens, to the best bid, which is paid",
                                       MakeMostTokenFirstPlus),
      Entry<GandivaFairOptions>("gandiva-fair", "stride scheduling by tickets", MakeGandivaFair),
      Entry<ThemisChoice>("themis", "the smallest worst finish-time ratio, an integer program",
                          ChooseThemis),
      Entry<TokenGameOptions>("token-game", "tokens for big accelerators, passed on to the others",
                              MakeTokenGame),
      Plain("max-min", "the largest worst rate for one's share, by linear program", MakeMaxMin),
      Plain("nash", "the largest product of what agents have had", MakeNash),
      Entry<KarmaOptions>("karma", "credits for what one leaves to others", MakeKarma),
      Plain("drf", "equal dominant shares of kinds of accelerators and of bandwidth", MakeDrf),
      Entry<DynamicPartitionOptions>("dynamic-partition",
                                     "one's number of accelerators, chosen each round",
                                     MakeDynamicPartition),
      Plain("fixed-partition", "the same accelerators in every round", MakeFixedPartition),
      Plain("round-robin", "accelerators taken in turns", MakeTakeTurns),
      Plain("time-equal", "every accelerator's time divided by weight",
            [](const Market& /*market*/) { return MakeTimeEqual(); }),
      Entry<GreedyOptions>("greedy", "each accelerator to whom it is worth most, by weight",
                           MakeGreedy),
  };
  return table;
}

}  // namespace

std::span<const MechanismEntry> Mechanisms() { return MechanismTable(); }

Result<MechanismChoice> ChooseMechanism(std::string_view spec) {
  const std::size_t colon = spec.find(':');
  const std::string_view name = spec.substr(0, colon);
  const auto entry = std::ranges::find(MechanismTable(), name, &MechanismEntry::name);
  if (entry == MechanismTable().end())
    return Fail("there is no mechanism '{}'; `fairlead mechanisms` lists them", name);
  if (colon == std::string_view::npos) return entry->choose({});
  return entry->choose(spec.substr(colon + 1));
}

Result<std::vector<std::string>> ParseMechanismList(std::string_view text) {
  std::vector<std::string> list;
  for (const std::string_view part : SplitAt(text, ',')) {
    if (part == "all") {
      for (const MechanismEntry& entry : MechanismTable()) list.emplace_back(entry.name);
      continue;
    }
    ASSIGN_OR_RETURN(MechanismChoice choice, ChooseMechanism(part));
    list.push_back(std::move(choice.canonical));
  }
  for (auto spec = list.begin(); spec != list.end(); ++spec) {
    if (std::find(list.begin(), spec, *spec) != spec)
      return Fail("mechanism {} stands twice", *spec);
  }
  return list;
}

}  // namespace fairlead
