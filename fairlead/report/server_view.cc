#include "fairlead/report/server_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>

#include "fairlead/report/json_text.h"
#include "fairlead/report/text_table.h"

namespace fairlead {
namespace {

using Samples = std::vector<MetricSample>;

std::string KeyOf(const MetricSample& sample) {
  std::string key = sample.name;
  for (const MetricLabel& label : sample.labels) key += '\n' + label.name + '\n' + label.value;
  return key;
}

// Samples, and how much they have grown since another look.
class Look {
 public:
  Look(const Samples& before, const Samples& now) {
    for (const MetricSample& sample : before) before_[KeyOf(sample)] = sample.value;
    for (const MetricSample& sample : now) by_name_.emplace(sample.name, &sample);
    const double then = before.empty() ? 0 : Value("fairlead_up_seconds", before_);
    const double up = One("fairlead_up_seconds");
    if (up < then) before_.clear();  // it began anew
    over_ = std::max(up - (up < then ? 0 : then), 1e-3);
  }

  double over() const { return over_; }
  double One(const std::string& name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? 0 : found->second->value;
  }
  double Grown(const MetricSample& sample) const {
    const auto found = before_.find(KeyOf(sample));
    return sample.value - (found == before_.end() ? 0 : found->second);
  }
  double PerSecond(const std::string& name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? 0 : Grown(*found->second) / over_;
  }
  template <typename Visit>
  void ForEach(const std::string& name, const Visit& visit) const {
    const auto [first, last] = by_name_.equal_range(name);
    for (auto at = first; at != last; ++at) visit(*at->second);
  }

 private:
  static double Value(const std::string& name, const std::map<std::string, double>& of) {
    const auto found = of.find(name);
    return found == of.end() ? 0 : found->second;
  }

  std::map<std::string, double> before_;
  std::multimap<std::string, const MetricSample*> by_name_;  // equal names in their order
  double over_ = 1;
};

void AddAccelerators(const Look& look, ServerFigures& figures) {
  std::map<std::string, bool> online;
  look.ForEach("fairlead_accelerator_online", [&](const MetricSample& sample) {
    online[std::string(sample.Label("accelerator"))] = sample.value > 0;
  });
  look.ForEach("fairlead_accelerator_busy_seconds_total", [&](const MetricSample& sample) {
    std::string name(sample.Label("accelerator"));
    const bool there = online[name];
    figures.accelerators.push_back({.name = std::move(name),
                                    .online = there,
                                    .busy = std::clamp(look.Grown(sample) / look.over(), 0., 1.)});
  });
}

void AddNetworks(const Look& look, ServerFigures& figures) {
  std::map<std::string, std::size_t> index;
  look.ForEach("fairlead_network_ready", [&](const MetricSample& sample) {
    std::string name(sample.Label("network"));
    index[name] = figures.networks.size();
    figures.networks.push_back({.name = std::move(name), .ready = sample.value > 0});
  });
  const auto of = [&](const MetricSample& sample) -> NetworkUse* {
    const auto found = index.find(std::string(sample.Label("network")));
    return found == index.end() ? nullptr : &figures.networks[found->second];
  };
  look.ForEach("fairlead_calls_total", [&](const MetricSample& sample) {
    NetworkUse* const network = of(sample);
    if (network == nullptr) return;
    const double rate = look.Grown(sample) / look.over();
    network->calls_per_s += rate;
    if (sample.Label("result") != "ok") network->failed_per_s += rate;
  });
  const auto quantiles = [&](const std::string& name, double NetworkUse::*middle,
                             double NetworkUse::*high) {
    look.ForEach(name, [&](const MetricSample& sample) {
      NetworkUse* const network = of(sample);
      if (network == nullptr) return;
      if (sample.Label("quantile") == "0.5") network->*middle = 1e3 * sample.value;
      if (sample.Label("quantile") == "0.99") network->*high = 1e3 * sample.value;
    });
  };
  quantiles("fairlead_queue_seconds", &NetworkUse::queue_p50_ms, &NetworkUse::queue_p99_ms);
  quantiles("fairlead_execution_seconds", &NetworkUse::execution_p50_ms,
            &NetworkUse::execution_p99_ms);
  std::map<std::string, double> believed;
  look.ForEach("fairlead_segments_believed_seconds_total", [&](const MetricSample& sample) {
    believed[std::string(sample.Label("network"))] = look.Grown(sample);
  });
  look.ForEach("fairlead_segments_measured_seconds_total", [&](const MetricSample& sample) {
    NetworkUse* const network = of(sample);
    if (network == nullptr) return;
    const double alone = believed[network->name];
    if (alone > 0) network->slowdown = look.Grown(sample) / alone;
  });
}

void AddAgreements(const Look& look, ServerFigures& figures) {
  std::map<std::pair<std::string, std::string>, AgreementUse> all;
  const auto of = [&](const MetricSample& sample) -> AgreementUse& {
    return all[{std::string(sample.Label("tenant")), std::string(sample.Label("network"))}];
  };
  look.ForEach("fairlead_requests_total", [&](const MetricSample& sample) {
    AgreementUse& agreement = of(sample);
    agreement.requests += sample.value;
    agreement.per_s += look.Grown(sample) / look.over();
    if (sample.Label("outcome") == "hit") agreement.hits += sample.value;
  });
  look.ForEach("fairlead_uncovered_requests_total",
               [&](const MetricSample& sample) { of(sample).uncovered += sample.value; });
  look.ForEach("fairlead_window_violations_total",
               [&](const MetricSample& sample) { of(sample).violations = sample.value; });
  look.ForEach("fairlead_hit_ratio",
               [&](const MetricSample& sample) { of(sample).indicator = sample.value; });
  look.ForEach("fairlead_target_ratio",
               [&](const MetricSample& sample) { of(sample).target = sample.value; });
  look.ForEach("fairlead_sacrificed",
               [&](const MetricSample& sample) { of(sample).sacrificed = sample.value > 0; });
  for (auto& [key, agreement] : all) {
    agreement.tenant = key.first;
    agreement.network = key.second;
    figures.agreements.push_back(std::move(agreement));
  }
  const auto spare = [](const AgreementUse& agreement) {
    const double points = agreement.indicator - agreement.target.value_or(-2);
    return std::isnan(points) ? 3 : points;
  };
  std::ranges::stable_sort(figures.agreements, {}, spare);
}

std::string UpTime(double seconds) {
  const auto whole = seconds >= 0 && seconds < 1e12 ? static_cast<std::int64_t>(seconds) : 0;
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  if (whole < 86400) return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
  return fmt::format("{} d {} h", whole / 86400, whole / 3600 % 24);
}

template <typename Row, typename Name>
int WidthOf(const std::vector<Row>& rows, std::size_t least, const Name& name) {
  for (const Row& row : rows) least = std::max(least, name(row).size());
  return static_cast<int>(least);
}

std::string NetworkTable(const ServerFigures& figures) {
  const int width = WidthOf(figures.networks, 7,
                            [](const NetworkUse& row) { return std::string_view(row.name); });
  std::string text =
      fmt::format("{:<{}}{:>9}{:>10}{:>16}{:>16}{:>10}\n", "network", width, "calls/s", "failed/s",
                  "queue ms 50,99%", "run ms 50,99%", "slowdown");
  for (const NetworkUse& row : figures.networks) {
    text += fmt::format("{:<{}}{:>9.1f}{:>10.1f}{:>16}{:>16}{:>10}{}\n", row.name, width,
                        row.calls_per_s, row.failed_per_s,
                        fmt::format("{:.1f} {:.1f}", row.queue_p50_ms, row.queue_p99_ms),
                        fmt::format("{:.1f} {:.1f}", row.execution_p50_ms, row.execution_p99_ms),
                        row.slowdown.has_value() ? fmt::format("{:.2f}", *row.slowdown) : "-",
                        row.ready ? "" : "  not loaded");
  }
  return text;
}

std::string AgreementTable(const ServerFigures& figures, std::size_t most) {
  const int tenant = WidthOf(figures.agreements, 6,
                             [](const AgreementUse& row) { return std::string_view(row.tenant); });
  const int network = WidthOf(
      figures.agreements, 7, [](const AgreementUse& row) { return std::string_view(row.network); });
  std::string text =
      fmt::format("{:<{}}  {:<{}}{:>9}{:>8}{:>8}{:>9}{:>9}{:>8}\n", "tenant", tenant, "network",
                  network, "calls/s", "hits %", "target", "in all", "windows", "beyond");
  std::size_t shown = 0;
  for (const AgreementUse& row : figures.agreements) {
    if (shown++ == most) {
      text += fmt::format("and {} more\n", figures.agreements.size() - most);
      break;
    }
    text += fmt::format("{:<{}}  {:<{}}{:>9.1f}{:>8.1f}{:>8}{:>9.0f}{:>9.0f}{:>8.0f}{}\n",
                        row.tenant, tenant, row.network, network, row.per_s, 100 * row.indicator,
                        InPercent(row.target), row.requests, row.violations, row.uncovered,
                        row.sacrificed                                          ? "  given up"
                        : row.target.has_value() && row.indicator < *row.target ? "  behind"
                                                                                : "");
  }
  return text;
}

}  // namespace

Result<ServerFigures> FiguresOfServer(const Samples& before, const Samples& now) {
  const Look look(before, now);
  ServerFigures figures{.ready = look.One("fairlead_ready") > 0,
                        .up_s = look.One("fairlead_up_seconds"),
                        .over_s = look.over(),
                        .under_way = look.One("fairlead_calls_under_way"),
                        .decisions_per_s = look.PerSecond("fairlead_decisions_total"),
                        .plan_faults = look.One("fairlead_plan_faults_total"),
                        .fallbacks = look.One("fairlead_guard_fallbacks_total")};
  look.ForEach("fairlead_policy_info",
               [&](const MetricSample& sample) { figures.policy = sample.Label("policy"); });
  if (figures.policy.empty()) return Fail("these are not the metrics of a fairlead server");
  look.ForEach("fairlead_decision_seconds", [&](const MetricSample& sample) {
    if (sample.Label("quantile") == "0.99") figures.decision_p99_us = 1e6 * sample.value;
  });
  AddAccelerators(look, figures);
  AddNetworks(look, figures);
  AddAgreements(look, figures);
  return figures;
}

std::string FormatServer(const ServerFigures& figures, std::size_t most_agreements) {
  std::string text = fmt::format(
      "fairlead at {}: {}, up {}, {:.0f} calls under way\n"
      "policy {}: {:.0f} decisions/s, 99 % within {:.1f} us; wrong entries {:.0f}, fallbacks "
      "{:.0f}\n",
      figures.url, figures.ready ? "ready" : "not ready", UpTime(figures.up_s), figures.under_way,
      figures.policy, figures.decisions_per_s, figures.decision_p99_us, figures.plan_faults,
      figures.fallbacks);
  std::string line;
  for (const AcceleratorUse& accelerator : figures.accelerators) {
    const std::string part = accelerator.online ? fmt::format("{} {:.0f} % busy", accelerator.name,
                                                              100 * accelerator.busy)
                                                : fmt::format("{} away", accelerator.name);
    if (!line.empty() && line.size() + part.size() + 3 > 80) {
      text += line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : "   ") + part;
  }
  return text + line + "\n\n" + AgreementTable(figures, most_agreements) + "\n" +
         NetworkTable(figures);
}

std::string ServerJson(const ServerFigures& figures) {
  JsonText json(-1);
  json.Put("url", figures.url, "policy", figures.policy, "ready", figures.ready, "up_s",
           figures.up_s, "over_s", figures.over_s, "under_way", figures.under_way,
           "decisions_per_s", figures.decisions_per_s, "decision_us_p99", figures.decision_p99_us,
           "plan_faults", figures.plan_faults, "fallbacks", figures.fallbacks);
  json.BeginList("accelerators");
  for (const AcceleratorUse& row : figures.accelerators)
    json.Row("name", row.name, "online", row.online, "busy", row.busy);
  json.End();
  json.BeginList("networks");
  for (const NetworkUse& row : figures.networks) {
    json.BeginObject();
    json.Put("name", row.name, "ready", row.ready, "calls_per_s", row.calls_per_s, "failed_per_s",
             row.failed_per_s);
    json.Object("queue_ms", "p50", row.queue_p50_ms, "p99", row.queue_p99_ms);
    json.Object("execution_ms", "p50", row.execution_p50_ms, "p99", row.execution_p99_ms);
    json.Put("slowdown", row.slowdown);
    json.End();
  }
  json.End();
  json.BeginList("agreements");
  for (const AgreementUse& row : figures.agreements)
    json.Row("tenant", row.tenant, "network", row.network, "per_s", row.per_s, "requests",
             row.requests, "hits", row.hits, "hit_ratio", row.indicator, "target", row.target,
             "window_violations", row.violations, "uncovered", row.uncovered, "sacrificed",
             row.sacrificed);
  json.End();
  return std::move(json).Finish();
}

namespace {

constexpr std::string_view kBlanks = " \t";

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == ':';
}

// One line, from left to right.
class MetricLine {
 public:
  explicit MetricLine(std::string_view line) : rest_(line) {}

  void SkipBlanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(kBlanks), rest_.size()));
  }
  bool Empty() const { return rest_.empty(); }
  bool Take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  // Empty: there is none.
  std::string TakeName() {
    const auto end = std::ranges::find_if_not(rest_, IsNameCharacter);
    std::string name(rest_.begin(), end);
    rest_.remove_prefix(name.size());
    return name;
  }
  std::optional<std::string> TakeQuoted() {
    if (!Take('"')) return std::nullopt;
    std::string value;
    while (!rest_.empty()) {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '"') return value;
      if (c == '\\' && !rest_.empty()) {
        value += rest_.front() == 'n' ? '\n' : rest_.front();
        rest_.remove_prefix(1);
      } else {
        value += c;
      }
    }
    return std::nullopt;
  }
  std::optional<double> TakeValue() {
    const std::string_view word = rest_.substr(0, rest_.find_first_of(kBlanks));
    rest_.remove_prefix(word.size());
    if (word == "NaN") return std::numeric_limits<double>::quiet_NaN();
    if (word == "+Inf") return std::numeric_limits<double>::infinity();
    double value = 0;
    const auto [end, wrong] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (wrong != std::errc{} || end != word.data() + word.size()) return std::nullopt;
    return value;
  }

 private:
  std::string_view rest_;
};

bool TakeLabels(MetricLine& line, MetricSample& sample) {
  while (!line.Take('}')) {
    line.SkipBlanks();
    MetricLabel label{.name = line.TakeName(), .value = {}};
    if (label.name.empty() || !line.Take('=')) return false;
    std::optional<std::string> value = line.TakeQuoted();
    if (!value.has_value()) return false;
    label.value = std::move(*value);
    sample.labels.push_back(std::move(label));
    line.SkipBlanks();
    line.Take(',');
  }
  return true;
}

std::optional<MetricSample> ReadSample(MetricLine& line) {
  MetricSample sample{.name = line.TakeName()};
  if (sample.name.empty()) return std::nullopt;
  if (line.Take('{') && !TakeLabels(line, sample)) return std::nullopt;
  line.SkipBlanks();
  const std::optional<double> value = line.TakeValue();
  if (!value.has_value()) return std::nullopt;
  sample.value = *value;
  return sample;
}

}  // namespace

std::string_view MetricSample::Label(std::string_view label) const {
  const auto found = std::ranges::find(labels, label, &MetricLabel::name);
  return found == labels.end() ? std::string_view() : std::string_view(found->value);
}

Result<std::vector<MetricSample>> ReadMetrics(std::string_view text) {
  std::vector<MetricSample> samples;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    MetricLine line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    line.SkipBlanks();
    if (line.Empty() || line.Take('#')) continue;
    std::optional<MetricSample> sample = ReadSample(line);
    if (!sample.has_value()) return Fail("line {} of the metrics cannot be read", number);
    samples.push_back(std::move(*sample));
  }
  return samples;
}

}  // namespace fairlead
