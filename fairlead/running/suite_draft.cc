#include "fairlead/running/suite_draft.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "fairlead/base/random.h"

namespace fairlead {

// A draft as a scenario file, and in classes.

namespace {

// Three digits are enough, and can be read.
std::string Number(double value) { return fmt::format("{:.3g}", value); }

// Whole nanoseconds: small enough for any horizon, and exact.
std::string Nanoseconds(double seconds) {
  return fmt::format("{}ns", static_cast<std::int64_t>(std::floor(seconds * 1e9)));
}

// Such as 1230000us: three digits.
std::string HorizonText(double seconds) {
  const double microseconds = std::max(1.0, seconds * 1e6);
  const double step = std::pow(10, std::max(0.0, std::floor(std::log10(microseconds)) - 2));
  return fmt::format("{}us", static_cast<std::int64_t>(std::ceil(microseconds / step) * step));
}

std::string PlatformText(const DraftPlatform& platform) {
  if (!platform.ready.empty()) return fmt::format("platform: {}\n", platform.ready);
  std::string text =
      fmt::format("platform:\n  bandwidth: {}MB/s\n  sharing: {}\n  accelerators:\n",
                  static_cast<std::int64_t>(std::round(platform.bandwidth_gb_per_s * 10)) * 100,
                  ToString(platform.sharing));
  for (const DraftKind& kind : platform.kinds) {
    text += fmt::format("    - {{kind: {}, count: {}", kind.name, kind.count);
    if (platform.switching_us > 0)
      text += fmt::format(", switching: {}us", static_cast<int>(platform.switching_us));
    text += "}\n";
  }
  return text;
}

std::string NetworksText(const SuiteDraft& draft) {
  std::string text = fmt::format("networks: {{segments: {}", draft.segments);
  if (draft.layers_per_block > 0)
    text += fmt::format(", layers_per_block: {}", draft.layers_per_block);
  if (draft.batches) text += ", batches: [1, 2, 4, 8]";
  return text + "}\n";
}

std::string ArrivalsText(const DraftArrivals& arrivals, const SuiteScale& scale) {
  std::string text = fmt::format("{{process: {}", arrivals.process);
  if (arrivals.process == "pareto") text += ", shape: " + Number(arrivals.shape);
  if (arrivals.process == "bursty") {
    const double busy = arrivals.busy * scale.horizon_s;
    text += fmt::format(", busy: {}, quiet: {}, ratio: {}", Nanoseconds(busy),
                        Nanoseconds(busy * arrivals.quiet), Number(arrivals.ratio));
  }
  if (arrivals.process == "periodic")
    text += ", jitter: " + Nanoseconds(arrivals.jitter * scale.shortest_gap_s);
  return text + "}";
}

std::string TenantsText(const DraftTenants& tenants, const SuiteScale& scale, double rate) {
  std::string text = fmt::format(
      "  - name: {}\n    count: {}\n    networks: [{}]\n    networks_each: {}\n    share: {}\n",
      tenants.name, tenants.count, fmt::join(tenants.networks, ", "), tenants.networks_each,
      Number(tenants.share));
  const auto line = [&text](std::string_view key, const std::string& value) {
    text += fmt::format("    {}: {}\n", key, value);
  };
  if (tenants.weight != 1) line("weight", Number(tenants.weight));
  if (tenants.priority != 1) line("priority", std::to_string(tenants.priority));
  if (tenants.factor.has_value() && tenants.deadline_ms == 0)
    line("factor", Number(*tenants.factor));
  if (tenants.deadline_ms > 0) line("deadline", Nanoseconds(tenants.deadline_ms / 1e3));
  if (tenants.target.has_value()) line("target", Number(*tenants.target) + "%");
  if (tenants.zipf) line("target", "{zipf: [70%, 80%, 90%], exponent: 1}");
  if (tenants.window > 0) {
    line("window", std::to_string(tenants.window));
    line("max_misses", std::to_string(tenants.max_misses));
  }
  if (tenants.periods > 0 && scale.horizon_s > 0)
    line("period", HorizonText(scale.horizon_s / tenants.periods));
  if (tenants.joins > 0) line("joins", HorizonText(tenants.joins * scale.horizon_s));
  if (tenants.leaves < 1) line("leaves", HorizonText(tenants.leaves * scale.horizon_s));
  if (tenants.covered > 0 && rate > 0) {
    const double covered = tenants.covered * rate;
    line("contract", fmt::format("{{rate: {}/s, burst: {}}}", Number(covered),
                                 static_cast<int>(std::ceil(1 + tenants.burst_s * covered))));
  }
  line("price", Number(tenants.price));
  if (tenants.penalty > 0) line("penalty", Number(tenants.penalty));
  if (tenants.arrivals.has_value()) line("arrivals", ArrivalsText(*tenants.arrivals, scale));
  return text;
}

std::string BeliefsText(const DraftBeliefs& beliefs) {
  std::string text;
  const auto add = [&text](std::string_view key, double value) {
    if (value != 0) text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", key, Number(value));
  };
  add("bias", beliefs.bias);
  add("noise", beliefs.noise);
  add("network_noise", beliefs.network_noise);
  add("kind_noise", beliefs.kind_noise);
  return text.empty() ? text : fmt::format("beliefs: {{{}}}\n", text);
}

std::string LossesText(const SuiteDraft& draft, const SuiteScale& scale) {
  std::string text = draft.losses.empty() ? "" : "changes:\n";
  for (const DraftLoss& loss : draft.losses) {
    const auto change = [&](double at, std::string_view state) {
      text += fmt::format("  - {{at: {}, accelerator: {}, state: {}}}\n",
                          HorizonText(at * scale.horizon_s), loss.accelerator, state);
    };
    change(loss.away, "away");
    if (loss.back < 1) change(loss.back, "back");
  }
  return text;
}

std::string Class(double value, double middle, double high, const char* const (&names)[3]) {
  return names[value <= middle ? 0 : value <= high ? 1 : 2];
}

double TightestFactor(const SuiteDraft& draft) {
  double tightest = 1e9;
  for (const DraftTenants& group : draft.tenants)
    tightest = std::min(tightest, group.factor.value_or(draft.factor));
  return tightest;
}

std::string ArrivalClass(const SuiteDraft& draft) {
  std::string_view process;
  for (const DraftTenants& group : draft.tenants) {
    const std::string_view own =
        group.arrivals.has_value() ? group.arrivals->process : draft.arrivals.process;
    if (!process.empty() && own != process) return "mixed";
    process = own;
  }
  return std::string(process);
}

std::string PromiseClass(const SuiteDraft& draft) {
  const auto promised = std::ranges::count_if(
      draft.tenants, [](const DraftTenants& group) { return group.target || group.zipf; });
  if (promised == 0) return "none";
  return promised == std::ssize(draft.tenants) ? "all" : "some";
}

std::string BeliefClass(const DraftBeliefs& beliefs) {
  const bool shared = beliefs.network_noise > 0 || beliefs.kind_noise > 0;
  if (beliefs.noise > 0) return shared ? "wrong per layer and shared" : "wrong per layer";
  if (shared) return "wrong per network or kind";
  return beliefs.bias == 0 ? "exact" : "biased";
}

}  // namespace

std::string ScenarioText(const SuiteDraft& draft, const SuiteScale& scale) {
  std::string text = fmt::format("# Drawn by chance: {}\nname: {}\nseed: {}\n", draft.origin,
                                 draft.name, draft.seed);
  text += fmt::format("horizon: {}\nwarm_up: {}\n", HorizonText(scale.horizon_s),
                      HorizonText(scale.horizon_s / 10));
  if (draft.epoch_us > 0) text += fmt::format("period: {}\n", HorizonText(draft.epoch_us / 1e6));
  text += PlatformText(draft.platform) + NetworksText(draft);
  text += fmt::format("deadlines: {{factor: {}, levels: {}}}\n", Number(draft.factor),
                      draft.levels ? "[0.8, 1.0, 1.2]" : "[1.0]");
  text += fmt::format("arrivals: {}\nload: {}\n", ArrivalsText(draft.arrivals, scale),
                      Number(draft.load));
  text += BeliefsText(draft.beliefs);
  text += "tenants:\n";
  for (std::size_t g = 0; g < draft.tenants.size(); ++g)
    text += TenantsText(draft.tenants[g], scale, g < scale.rates.size() ? scale.rates[g] : 0);
  return text + LossesText(draft, scale);
}

std::vector<SuiteTrait> TraitsOf(const SuiteDraft& draft) {
  return {
      {"platform", std::string(draft.platform.family)},
      {"accelerators", Class(draft.platform.accelerators(), 4, 16, {"1-4", "5-16", "17-64"})},
      {"sharing", std::string(ToString(draft.platform.sharing))},
      {"segments", std::string(draft.segments)},
      {"tenants", Class(draft.tenant_count(), 20, 200, {"2-20", "21-200", "201-2000"})},
      {"load", Class(draft.load, 0.8, 1.1, {"0.4-0.8", "0.8-1.1", "1.1-2.0"})},
      {"tightest deadline", Class(TightestFactor(draft), 2, 4, {"1.2-2", "2-4", "4-10"})},
      {"arrivals", ArrivalClass(draft)},
      {"promises", PromiseClass(draft)},
      {"beliefs", BeliefClass(draft.beliefs)},
  };
}

namespace {

class Drawing {
 public:
  explicit Drawing(const SuiteDraw& draw)
      : random_(
            draw.seed,
            fmt::format("suite/{}/scenario={}{}",
                        draw.purpose == SuitePurpose::kTuning ? "tuning" : "reporting", draw.number,
                        draw.attempt > 1 ? fmt::format("/attempt={}", draw.attempt) : "")) {}

  SuiteDraft Scenario();

 private:
  double Between(const SuiteRange& range) {
    return range.low + (range.high - range.low) * random_.Uniform();
  }
  // As likely between 2 and 4 as between 20 and 40.
  double Log(const SuiteRange& range) {
    const double drawn = range.low * std::pow(range.high / range.low, random_.Uniform());
    return std::clamp(drawn, range.low, range.high);
  }
  int Whole(int low, int high) {
    return low + static_cast<int>(random_.Below(static_cast<std::uint64_t>(high - low) + 1));
  }
  // The upper end is as likely as any other whole number near it.
  int LogWhole(const SuiteRange& range) {
    return std::min(static_cast<int>(Log({range.low, range.high + 1})),
                    static_cast<int>(range.high));
  }
  bool Chance(double probability) { return random_.Uniform() < probability; }

  template <typename T, std::size_t N>
  T OneOf(const std::array<T, N>& list, const std::array<double, N>& weights) {
    return list[random_.Weighted(weights)];
  }
  // `count` of the list, in its order.
  template <typename T>
  std::vector<T> Some(std::span<const T> list, std::size_t count) {
    std::vector<T> chosen;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (random_.Below(list.size() - i) < count - chosen.size()) chosen.push_back(list[i]);
    }
    return chosen;
  }
  // A sum in whole parts of at least 1 each.
  std::vector<int> Parts(int sum, int parts);

  DraftPlatform Platform();
  DraftPlatform Arrays();
  DraftPlatform Processors();
  DraftArrivals Arrivals();
  DraftBeliefs Beliefs();
  std::vector<DraftLoss> Losses(const DraftPlatform& platform);
  DraftTenants Tenants(std::span<const std::string_view> networks);
  void Promise(DraftTenants& tenants);

  RandomStream random_;
};

std::vector<int> Drawing::Parts(int sum, int parts) {
  std::vector<int> counts(static_cast<std::size_t>(parts), 1);
  std::vector<double> weights;
  for (int p = 0; p < parts; ++p) weights.push_back(random_.UniformPositive());
  for (int i = parts; i < sum; ++i) ++counts[random_.Weighted(weights)];
  return counts;
}

DraftPlatform Drawing::Arrays() {
  DraftPlatform platform{.family = "arrays"};
  const int accelerators = LogWhole(kSuiteAccelerators);
  const int kinds = Whole(1, std::min(accelerators, kSuiteMostKinds));
  const auto names =
      Some(std::span<const std::string_view>(kSuiteArrays), static_cast<std::size_t>(kinds));
  const std::vector<int> counts = Parts(accelerators, kinds);
  for (std::size_t k = 0; k < names.size(); ++k) platform.kinds.push_back({names[k], counts[k]});
  platform.bandwidth_gb_per_s = accelerators * Log(kSuiteBandwidthEach);
  return platform;
}

DraftPlatform Drawing::Processors() {
  DraftPlatform platform{.family = "processors"};
  const int accelerators = LogWhole(kSuiteProcessors);
  const int kinds = Whole(1, std::min<int>(accelerators, kSuiteProcessorKinds.size()));
  const auto chosen =
      Some(std::span<const SuiteProcessor>(kSuiteProcessorKinds), static_cast<std::size_t>(kinds));
  const std::vector<int> counts = Parts(accelerators, kinds);
  double most = 0;
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    platform.kinds.push_back({chosen[k].kind, counts[k]});
    most += counts[k] * chosen[k].gb_per_s;
  }
  platform.bandwidth_gb_per_s = most * Log(kSuiteBandwidthShare);
  return platform;
}

DraftPlatform Drawing::Platform() {
  constexpr std::array<std::string_view, 5> kFamilies = {"arrays", "processors", "xavier",
                                                         "xeon-16", "h200-partitions"};
  const std::string_view family = OneOf(kFamilies, {0.55, 0.15, 0.05, 0.1, 0.15});
  if (family == "xavier") return {.family = "processors", .ready = family};
  if (family != "arrays" && family != "processors") return {.family = "measured", .ready = family};
  DraftPlatform platform = family == "arrays" ? Arrays() : Processors();
  platform.sharing =
      OneOf(std::array{Sharing::kProportional, Sharing::kMaxMin, Sharing::kNone}, {0.4, 0.4, 0.2});
  if (Chance(1.0 / 3)) platform.switching_us = Log(kSuiteSwitchingUs);
  return platform;
}

DraftArrivals Drawing::Arrivals() {
  constexpr std::array<std::string_view, 4> kProcesses = {"pareto", "poisson", "bursty",
                                                          "periodic"};
  DraftArrivals arrivals{.process = OneOf(kProcesses, {0.3, 0.3, 0.25, 0.15})};
  if (arrivals.process == "pareto") arrivals.shape = Between({1.3, 3});
  if (arrivals.process == "bursty") {
    arrivals.busy = Log({0.002, 0.02});
    arrivals.quiet = Between({2, 10});
    arrivals.ratio = Log({2, 50});
  }
  if (arrivals.process == "periodic") arrivals.jitter = random_.Uniform();
  return arrivals;
}

DraftBeliefs Drawing::Beliefs() {
  DraftBeliefs beliefs;
  if (Chance(0.4)) return beliefs;
  constexpr std::array<int, 4> kWhich = {0, 1, 2, 3};
  const int which = OneOf(kWhich, {0.35, 0.3, 0.1, 0.25});  // per layer, network, kind; all
  if (which == 0 || which == 3) beliefs.noise = Log(kSuiteNoise);
  if (which == 1 || which == 3) beliefs.network_noise = Log(kSuiteNoise);
  if (which == 2 || which == 3) beliefs.kind_noise = Log(kSuiteNoise);
  if (Chance(0.3)) beliefs.bias = Between(kSuiteBias);
  return beliefs;
}

// Of one kind, but never all of what there is.
std::vector<DraftLoss> Drawing::Losses(const DraftPlatform& platform) {
  const DraftKind& kind = platform.kinds[random_.Below(platform.kinds.size())];
  const int most = std::min(kind.count, platform.accelerators() - 1);
  const int count = Whole(1, std::max(1, most / 2));
  const double away = Between({0.2, 0.6});
  const double back = Between({away + 0.1, 1});
  std::vector<DraftLoss> losses;
  for (int i = 0; i < count; ++i) {
    losses.push_back({.accelerator = kind.count == 1 ? std::string(kind.name)
                                                     : fmt::format("{}.{}", kind.name, i),
                      .away = away,
                      .back = back});
  }
  return losses;
}

void Drawing::Promise(DraftTenants& tenants) {
  const double kind = random_.Uniform();
  if (kind < 0.2) return;  // best effort
  if (kind < 0.8) {
    tenants.target = Chance(0.2) ? Between(kSuiteHighTarget) : std::round(Between(kSuiteTarget));
  } else {
    tenants.zipf = true;
  }
  if (Chance(0.2)) tenants.periods = std::round(Log(kSuitePeriods));
  if (!Chance(0.3)) return;
  tenants.window = LogWhole(kSuiteWindow);
  tenants.max_misses = Whole(0, tenants.window / 2);
}

DraftTenants Drawing::Tenants(std::span<const std::string_view> networks) {
  DraftTenants tenants;
  tenants.networks = Some(networks, 1 + random_.Below(networks.size()));
  const int known = static_cast<int>(tenants.networks.size());
  tenants.networks_each = Chance(0.6) ? 1 : Whole(1, std::min(known, kSuiteMostNetworksEach));
  tenants.share = Log(kSuiteShare);
  if (Chance(0.4)) tenants.weight = Log({0.5, 8});
  if (Chance(0.4)) tenants.priority = Whole(1, 9);
  if (Chance(0.5)) tenants.factor = Log(kSuiteFactor);
  if (Chance(0.1)) tenants.deadline_ms = Log(kSuiteDeadlineMs);
  Promise(tenants);
  if (Chance(0.15)) {
    tenants.covered = Log(kSuiteCovered);
    tenants.burst_s = Log(kSuiteBurstSeconds);
  }
  if (Chance(0.1)) tenants.joins = Between({0.1, 0.6});
  if (Chance(0.1)) tenants.leaves = Between({0.7, 0.95});
  tenants.price = Log({0.1, 10});
  if (Chance(0.5)) tenants.penalty = tenants.price * Between({0.5, 3});
  if (Chance(0.3)) tenants.arrivals = Arrivals();
  return tenants;
}

SuiteDraft Drawing::Scenario() {
  SuiteDraft draft;
  draft.seed = random_.Below(1'000'000'000);
  draft.platform = Platform();
  draft.segments =
      OneOf(std::array<std::string_view, 3>{"layers", "blocks", "whole"}, {0.45, 0.35, 0.2});
  if (draft.segments == "blocks") draft.layers_per_block = LogWhole({2, 30});
  const bool modelled = draft.platform.family != "measured";
  draft.batches = modelled && Chance(0.2);

  std::vector<std::string_view> known(kSuiteNetworks.begin(), kSuiteNetworks.end());
  if (modelled) known.push_back(kSuiteModelledNetwork);
  const auto networks = Some(std::span<const std::string_view>(known),
                             static_cast<std::size_t>(Whole(1, kSuiteMostNetworks)));

  draft.factor = Log(kSuiteFactor);
  draft.levels = Chance(0.7);
  draft.load = Between(kSuiteLoad);
  draft.arrivals = Arrivals();
  const int tenants = LogWhole(kSuiteTenants);
  for (int count : Parts(tenants, Whole(1, std::min(tenants, kSuiteMostGroups)))) {
    draft.tenants.push_back(Tenants(networks));
    draft.tenants.back().name = fmt::format("group-{}", draft.tenants.size());
    draft.tenants.back().count = count;
  }
  draft.beliefs = Beliefs();
  if (Chance(0.08)) draft.epoch_us = Log(kSuiteEpochUs);
  if (!draft.platform.kinds.empty() && draft.platform.accelerators() > 1 && Chance(0.15))
    draft.losses = Losses(draft.platform);
  return draft;
}

}  // namespace

int DraftPlatform::accelerators() const {
  if (ready == "xavier") return 3;
  if (ready == "h200-partitions") return 4;
  if (!ready.empty()) return 1;
  int sum = 0;
  for (const DraftKind& kind : kinds) sum += kind.count;
  return sum;
}

int SuiteDraft::tenant_count() const {
  int sum = 0;
  for (const DraftTenants& group : tenants) sum += group.count;
  return sum;
}

SuiteDraft DrawScenario(const SuiteDraw& draw) {
  SuiteDraft draft = Drawing(draw).Scenario();
  const bool tuning = draw.purpose == SuitePurpose::kTuning;
  draft.name = fmt::format("{}-{}-{}", tuning ? "tuning" : "suite", draw.seed, draw.number);
  draft.origin = fmt::format("fairlead suite --seed {} --first {} --scenarios 1{}", draw.seed,
                             draw.number, tuning ? " --tuning" : "");
  return draft;
}

}  // namespace fairlead
