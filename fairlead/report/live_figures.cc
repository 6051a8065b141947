#include "fairlead/report/live_figures.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "fairlead/report/figures.h"
#include "fairlead/report/run_json.h"

namespace fairlead {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, kPassages> kNames = {"goes on", "takes over", "moves"};
constexpr std::array<const char*, kPassages> kKeys = {"goes_on", "takes_over", "moves"};
constexpr double kQuiet = 0.01;

std::size_t IndexOf(Passage passage) { return static_cast<std::size_t>(passage); }

Json ToJson(const TenantFigures& tenant) {
  return {{"hit_rate", NumberOrNull(tenant.hit_rate)},
          {"p50_ms", NumberOrNull(tenant.p50_ms)},
          {"p95_ms", NumberOrNull(tenant.p95_ms)}};
}

Json ToJson(const LiveComparison& comparison) {
  Json json = {{"simulated_moves", comparison.simulated_moves},
               {"tenants", Json::array()},
               {"segments", Json::array()}};
  for (const TenantComparison& tenant : comparison.tenants)
    json["tenants"].push_back({{"tenant", tenant.tenant},
                               {"network", tenant.network},
                               {"requests", tenant.requests},
                               {"simulated", ToJson(tenant.simulated)},
                               {"live", ToJson(tenant.live)},
                               {"simulated_on_measured", ToJson(tenant.again)}});
  for (const SegmentComparison& segment : comparison.segments)
    json["segments"].push_back({{"network", segment.network},
                                {"kind", segment.kind},
                                {"passage", kKeys[IndexOf(segment.passage)]},
                                {"segments", segment.segments},
                                {"predicted_us", segment.predicted_us},
                                {"measured_us", segment.measured_us},
                                {"beyond_p50_us", segment.beyond_p50_us},
                                {"beyond_p95_us", segment.beyond_p95_us}});
  return json;
}

std::string Text(const LiveComparison& comparison) {
  std::string text = fmt::format("  {:<14}{:<16}{:>9}{:>21}{:>27}{:>27}\n", "tenant", "network",
                                 "requests", "hits %", "median ms", "p95 ms");
  for (const TenantComparison& tenant : comparison.tenants) {
    const auto three = [&](auto figure, double scale, int digits) {
      return fmt::format("{:.{}f} {:.{}f} {:.{}f}", scale * figure(tenant.simulated), digits,
                         scale * figure(tenant.live), digits, scale * figure(tenant.again), digits);
    };
    text += fmt::format("  {:<14}{:<16}{:>9}{:>21}{:>27}{:>27}\n", tenant.tenant, tenant.network,
                        tenant.requests,
                        three([](const TenantFigures& t) { return t.hit_rate; }, 100, 1),
                        three([](const TenantFigures& t) { return t.p50_ms; }, 1, 2),
                        three([](const TenantFigures& t) { return t.p95_ms; }, 1, 2));
  }
  text += "  (each: simulated, live, simulated again on what was measured in the live run)\n";
  text += fmt::format("  {:<16}{:<10}{:<12}{:>9}{:>14}{:>14}{:>24}\n", "network", "on", "segments",
                      "count", "predicted us", "measured us", "beyond us: median 95 %");
  for (const SegmentComparison& segment : comparison.segments)
    text += fmt::format("  {:<16}{:<10}{:<12}{:>9}{:>14.1f}{:>14.1f}{:>15.1f}{:>9.1f}\n",
                        segment.network, segment.kind, kNames[IndexOf(segment.passage)],
                        segment.segments, segment.predicted_us, segment.measured_us,
                        segment.beyond_p50_us, segment.beyond_p95_us);
  return text;
}

}  // namespace

Json LiveToJson(const LiveFigures& live) {
  Json json = {{"pace", live.pace}};
  for (std::size_t i = 0; i < kPassages; ++i) json["segments"][kKeys[i]] = live.passages[i];
  json["others_share"] = live.others_share ? NumberOrNull(*live.others_share) : Json(nullptr);
  json["stolen_share"] = live.stolen_share ? NumberOrNull(*live.stolen_share) : Json(nullptr);
  if (live.comparison.has_value()) json["comparison"] = ToJson(*live.comparison);
  return json;
}

std::string FormatLive(std::span<const RunFigures> runs) {
  std::string text;
  for (const RunFigures& run : runs) {
    if (!run.live.has_value()) continue;
    const LiveFigures& live = *run.live;
    text += fmt::format(
        "{} with seed {} was live ({}): {} segments went on, {} took over, {} moved", run.policy,
        run.seed, live.pace, live.passages[0], live.passages[1], live.passages[2]);
    if (live.comparison.has_value())
      text += fmt::format(" (simulated: {})", live.comparison->simulated_moves);
    if (live.others_share.has_value()) {
      text += fmt::format("; other programs took {:.1f} % of its cores, other machines {:.1f} %",
                          100 * *live.others_share, 100 * *live.stolen_share);
      if (*live.others_share > kQuiet || *live.stolen_share > kQuiet) text += ": not quiet";
    }
    text += ".\n";
    if (live.comparison.has_value()) text += Text(*live.comparison);
  }
  return text;
}

}  // namespace fairlead
