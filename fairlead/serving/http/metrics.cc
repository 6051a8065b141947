#include "fairlead/serving/http/metrics.h"

#include <fmt/format.h>

#include <initializer_list>
#include <iterator>

#include "fairlead/serving/utf8.h"

namespace fairlead {
namespace {

struct Label {
  std::string_view name;
  std::string_view value;
};
using Labels = std::initializer_list<Label>;

constexpr double kQuantiles[] = {0.5, 0.9, 0.99};

// The samples of one metric stand together, behind what it is.
class Metric {
 public:
  Metric(std::string_view name, std::string_view type, std::string_view help)
      : name_(name),
        text_(fmt::format("# HELP fairlead_{} {}\n# TYPE fairlead_{} {}\n", name, help, name,
                          type)) {}

  template <typename Value>
  Metric& Add(Value value, Labels labels = {}, std::string_view suffix = "") {
    fmt::format_to(std::back_inserter(text_), "fairlead_{}{}", name_, suffix);
    char before = '{';
    for (const Label& label : labels) {
      text_ += before;
      text_ += label.name;
      text_ += "=\"";
      AppendValue(label.value);
      text_ += '"';
      before = ',';
    }
    if (before == ',') text_ += '}';
    fmt::format_to(std::back_inserter(text_), " {}\n", value);
    return *this;
  }

  // Nanoseconds, as seconds.
  void AddSummary(const Histogram& times, std::string_view network, double sum) {
    for (const double q : kQuantiles) {
      const double value = static_cast<double>(times.Quantile(q)) * 1e-9;
      const std::string quantile = fmt::format("{}", q);
      Add(value, {{"network", network}, {"quantile", quantile}});
    }
    Add(sum, {{"network", network}}, "_sum").Add(times.count(), {{"network", network}}, "_count");
  }

  const std::string& text() const { return text_; }

 private:
  void AppendValue(std::string_view value) {
    while (!value.empty()) {
      const std::size_t length = Utf8Length(value);
      if (length == 0) {
        text_ += '?';
      } else if (value.front() == '\n') {
        text_ += "\\n";
      } else {
        if (value.front() == '"' || value.front() == '\\') text_ += '\\';
        text_ += value.substr(0, length);
      }
      value.remove_prefix(length == 0 ? 1 : length);
    }
  }

  std::string name_;
  std::string text_;
};

double SecondsOf(std::uint64_t ns) { return static_cast<double>(ns) * 1e-9; }

std::string NetworkMetrics(const InferenceService& service) {
  Metric ready("network_ready", "gauge", "Whether the network is loaded.");
  Metric calls("calls_total", "counter", "Calls that ended, by what came of them.");
  Metric queued("queue_seconds", "summary", "From the call to its first start, of good calls.");
  Metric executed("execution_seconds", "summary", "From the first start to the end, likewise.");
  Metric believed("segments_believed_seconds_total", "counter",
                  "How long the segments that ran were believed to take alone.");
  Metric measured("segments_measured_seconds_total", "counter",
                  "How long they took; divided by the belief: the slowdown by co-runners.");
  Metric executions("executions_total", "counter",
                    "How often the network ran to its end, by how many samples at once.");
  for (const NetworkInfo& network : service.Networks()) {
    const NetworkStatistics statistics = service.StatisticsOf(network.id);
    const Label name{"network", network.name};
    ready.Add(network.ready ? 1 : 0, {name});
    for (std::size_t code = 0; code < statistics.ended.size(); ++code)
      calls.Add(statistics.ended[code], {name, {"result", kInferenceCodeNames[code]}});
    queued.AddSummary(statistics.queued, network.name, SecondsOf(statistics.queued_ns));
    executed.AddSummary(statistics.executed, network.name, SecondsOf(statistics.executed_ns));
    believed.Add(SecondsOf(statistics.believed_ns), {name});
    measured.Add(SecondsOf(statistics.measured_ns), {name});
    for (const auto& [size, batch] : statistics.batches) {
      const std::string samples = std::to_string(size);
      executions.Add(batch.executions, {name, {"batch", samples}});
    }
  }
  return ready.text() + calls.text() + queued.text() + executed.text() + believed.text() +
         measured.text() + executions.text();
}

class AgreementMetrics {
 public:
  void Visit(const AgreementReport& agreement) {
    if (!agreement.open) return;
    if (++seen_ > kMostAgreementsShown) {
      others_ += agreement.lifetime;
      others_uncovered_ += agreement.uncovered;
      others_violations_ += agreement.violations;
      return;
    }
    AddCounts(agreement.tenant, agreement.network, agreement.lifetime, agreement.uncovered);
    const Label tenant{"tenant", agreement.tenant};
    const Label network{"network", agreement.network};
    violations_.Add(agreement.violations, {tenant, network});
    hits_.Add(agreement.indicator, {tenant, network});
    if (agreement.promise->target.has_value())
      targets_.Add(*agreement.promise->target, {tenant, network});
    sacrificed_.Add(agreement.sacrificed ? 1 : 0, {tenant, network});
  }

  std::string Text() {
    if (seen_ > kMostAgreementsShown) {
      AddCounts("(others)", "(all)", others_, others_uncovered_);
      violations_.Add(others_violations_, {{"tenant", "(others)"}, {"network", "(all)"}});
    }
    Metric count("agreements", "gauge", "Open agreements.");
    count.Add(seen_);
    return count.text() + requests_.text() + uncovered_.text() + violations_.text() + hits_.text() +
           targets_.text() + sacrificed_.text();
  }

 private:
  void AddCounts(std::string_view tenant, std::string_view network, const OutcomeCounts& covered,
                 const OutcomeCounts& uncovered) {
    for (int i = 0; i < kOutcomes; ++i) {
      const auto outcome = static_cast<Outcome>(i);
      const auto add = [&](Metric& metric, const OutcomeCounts& counts) {
        metric.Add(counts.Of(outcome),
                   {{"tenant", tenant}, {"network", network}, {"outcome", ToString(outcome)}});
      };
      add(requests_, covered);
      add(uncovered_, uncovered);
    }
  }

  Metric requests_{"requests_total", "counter", "Requests that the contract covers, by outcome."};
  Metric uncovered_{"uncovered_requests_total", "counter", "Requests beyond the contract."};
  Metric violations_{"window_violations_total", "counter", "Windows with too many misses."};
  Metric hits_{"hit_ratio", "gauge", "The share of hits in the period of the promise."};
  Metric targets_{"target_ratio", "gauge", "The share that is promised."};
  Metric sacrificed_{"sacrificed", "gauge", "Whether the promise is given up for now."};
  int seen_ = 0;
  OutcomeCounts others_;
  OutcomeCounts others_uncovered_;
  std::int64_t others_violations_ = 0;
};

std::string EngineMetrics(const ServiceReport& report) {
  const auto counter = [](std::string_view name, std::string_view help, auto value) {
    return Metric(name, "counter", help).Add(value).text();
  };
  const auto gauge = [](std::string_view name, std::string_view help, auto value) {
    return Metric(name, "gauge", help).Add(value).text();
  };
  Metric policy("policy_info", "gauge", "The policy in charge.");
  policy.Add(1, {{"policy", report.policy}});
  Metric decision("decision_seconds", "summary", "How long the policy thought.");
  for (const double q : kQuantiles) {
    const std::string quantile = fmt::format("{}", q);
    decision.Add(SecondsOf(report.decision_times.Quantile(q)), {{"quantile", quantile}});
  }
  decision.Add(report.decision_times.count(), {}, "_count");
  Metric strikes("guard_strikes_total", "counter", "What the guard complained of.");
  for (std::size_t i = 0; i < kStrikeNames.size(); ++i)
    strikes.Add(report.guard.strikes[i], {{"cause", kStrikeNames[i]}});
  Metric busy("accelerator_busy_seconds_total", "counter", "How long each was busy.");
  Metric online("accelerator_online", "gauge", "Whether it is there.");
  for (const AcceleratorReport& accelerator : report.accelerators) {
    const Label name{"accelerator", accelerator.name};
    const Label kind{"kind", accelerator.kind};
    busy.Add(accelerator.busy_s, {name, kind});
    online.Add(accelerator.online ? 1 : 0, {name, kind});
  }
  const EngineCounters& engine = report.engine;
  return gauge("ready", "Whether calls are taken.", report.state == ServiceState::kReady ? 1 : 0) +
         gauge("up_seconds", "Since the service began.", Seconds(report.time)) +
         gauge("calls_under_way", "Calls that have not been answered.", report.under_way) +
         policy.text() + counter("decisions_total", "Decisions.", engine.decisions) +
         decision.text() +
         counter("segments_total", "Segments that finished.", engine.segments_finished) +
         counter("moves_total", "Boundaries at which a job moved.", engine.moves) +
         counter("plan_faults_total", "Wrong entries of plans.", engine.plan_faults) +
         strikes.text() +
         counter("guard_fallbacks_total", "Times that the fallback took over.",
                 report.guard.fallbacks) +
         counter("guard_fallback_seconds_total", "Time under the fallback.",
                 Seconds(report.guard.UnderFallback(Instant{} + report.time))) +
         busy.text() + online.text();
}

}  // namespace

std::string MetricsText(const InferenceService& service) {
  AgreementMetrics agreements;
  service.VisitAgreements([&](const AgreementReport& report) { agreements.Visit(report); });
  return EngineMetrics(service.Report()) + NetworkMetrics(service) + agreements.Text();
}

std::string DoorMetricsText(const DoorMetrics& doors) {
  const auto one = [](std::string_view name, std::string_view type, std::string_view help,
                      auto value) { return Metric(name, type, help).Add(value).text(); };
  return one("memory_budget_bytes", "gauge", "For what clients have in flight.",
             doors.memory_total) +
         one("memory_used_bytes", "gauge", "Of that.", doors.memory_used) +
         one("memory_refusals_total", "counter", "Requests for which there was no memory.",
             doors.memory_refusals) +
         one("stalls_total", "counter", "Times that the server stood still.", doors.stalls) +
         one("stalled_seconds_total", "counter", "How long in all.",
             fairlead::Seconds(doors.stalled));
}

}  // namespace fairlead
