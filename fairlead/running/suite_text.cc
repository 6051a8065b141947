// A draft as a scenario file, and in classes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "fairlead/running/suite_draft.h"

namespace fairlead {
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

}  // namespace fairlead
