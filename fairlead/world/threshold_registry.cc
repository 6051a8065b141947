#include "fairlead/world/threshold_registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "fairlead/base/units.h"
#include "fairlead/scenario/embedded_files.h"
#include "fairlead/scenario/files.h"
#include "fairlead/sharing/actor_critic.h"
#include "fairlead/sharing/hedge.h"

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

}  // namespace fairlead
