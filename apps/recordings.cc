// fairlead replay, fairlead why
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "apps/help_text.h"
#include "apps/input_files.h"
#include "apps/verbs.h"
#include "fairlead/recording/recording_cut.h"
#include "fairlead/recording/recording_reader.h"
#include "fairlead/recording/replay.h"
#include "fairlead/recording/why.h"
#include "fairlead/recording/why_many.h"
#include "fairlead/running/run.h"
#include "fairlead/world/policy_plugin.h"
#include "fairlead/world/world.h"

namespace fairlead {
namespace {

using Json = nlohmann::ordered_json;

// One, or several that were cut out of a log together.
Result<std::vector<Recording>> Load(const std::string& path, bool cut_off) {
  ASSIGN_OR_RETURN(const std::string text, ReadInput(path));
  const std::vector<std::string_view> parts = SplitRecordings(text);
  std::vector<Recording> recordings;
  for (const std::string_view part : parts) {
    std::string file = path;
    if (parts.size() > 1) file += fmt::format(" (part {})", recordings.size() + 1);
    ASSIGN_OR_RETURN(Recording recording,
                     ReadRecording(std::move(file), std::string(part),
                                   cut_off ? CutOff::kAccept : CutOff::kRefuse));
    recordings.push_back(std::move(recording));
  }
  return recordings;
}

std::string Dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json ReplayJson(const ReplayReport& report) {
  Json json = {{"identical", report.identical()},   {"decisions", report.decisions},
               {"inputs", report.inputs},           {"instants", report.instants},
               {"end_ns", Nanoseconds(report.end)}, {"policy_then", report.policy_then},
               {"policy_now", report.policy_now}};
  if (report.difference.has_value()) {
    json["difference"] = {{"at_ns", Nanoseconds(report.difference->at)},
                          {"decision", report.difference->decision},
                          {"what", report.difference->what},
                          {"recorded", report.difference->recorded},
                          {"replayed", report.difference->replayed}};
  }
  return json;
}

Json AccountJson(const RequestAccount& account) {
  const auto instant = [](Instant at) { return at == kNever ? Json() : Json(Nanoseconds(at)); };
  Json segments = Json::array();
  for (const SegmentAccount& segment : account.segments) {
    segments.push_back({{"segment", segment.segment.value},
                        {"name", segment.name},
                        {"on_path", segment.on_path},
                        {"accelerator", segment.accelerator},
                        {"ready_ns", instant(segment.ready)},
                        {"start_ns", instant(segment.start)},
                        {"end_ns", instant(segment.end)},
                        {"waited_ns", segment.wait.time.count()},
                        {"alone_ns", segment.alone.count()},
                        {"slowed_ns", segment.slowed.count()}});
  }
  Json blockers = Json::array();
  for (const Blocker& blocker : account.wait.behind) {
    blockers.push_back({{"tenant", blocker.tenant},
                        {"network", blocker.network},
                        {"time_ns", blocker.time.count()}});
  }
  return {{"request", account.request},
          {"tenant", account.tenant},
          {"network", account.network},
          {"arrival_ns", Nanoseconds(account.arrival)},
          {"deadline_ns", (account.deadline - account.arrival).count()},
          {"end_ns", Nanoseconds(account.end)},
          {"outcome", account.outcome.has_value() ? Json(ToString(*account.outcome)) : Json()},
          {"reason", ToString(account.reason)},
          {"admission_ns", account.admission.count()},
          {"waited_ns", account.wait.time.count()},
          {"alone_ns", account.alone.count()},
          {"switching_ns", account.switching.count()},
          {"handing_over_ns", account.going_on.handing_over.count()},
          {"taking_over_ns", account.going_on.taking_over.count()},
          {"moving_ns", account.going_on.moving.count()},
          {"slowed_ns", account.slowed.count()},
          {"lost_ns", account.lost.count()},
          {"behind", blockers},
          {"segments", segments},
          {"verdict", Verdict(account)}};
}

Json SumsJson(const std::vector<TenantSum>& sums) {
  Json list = Json::array();
  for (const TenantSum& sum : sums)
    list.push_back({{"tenant", sum.tenant},
                    {"network", sum.network},
                    {"requests", sum.requests},
                    {"time_ns", sum.time.count()}});
  return list;
}

Json ManyJson(const WhyMany& many) {
  Json worst = Json::array();
  for (const RequestAccount& account : many.worst) worst.push_back(AccountJson(account));
  return {{"requests", many.requests},
          {"missed", many.missed},
          {"dropped", many.dropped},
          {"rejected", many.rejected},
          {"looked_at", many.accounts},
          {"total_ns", many.total.count()},
          {"admission_ns", many.admission.count()},
          {"waited_ns", many.waited.count()},
          {"deciding_ns", many.deciding.count()},
          {"away_ns", many.away.count()},
          {"idle_ns", many.idle.count()},
          {"alone_ns", many.alone.count()},
          {"switching_ns", many.switching.count()},
          {"going_on_ns", many.going_on.count()},
          {"slowed_ns", many.slowed.count()},
          {"lost_ns", many.lost.count()},
          {"behind", SumsJson(many.blockers)},
          {"of", SumsJson(many.losers)},
          {"worst", worst}};
}

// A recording's answer, or those of several: in JSON as a list.
template <typename Part, typename Text, typename MakeJson>
void PrintParts(OutputForm form, const std::vector<Part>& parts, const Text& text,
                const MakeJson& json) {
  if (form != OutputForm::kJson) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts.size() > 1)
        fmt::print("{}part {} of {}:\n", i == 0 ? "" : "\n", i + 1, parts.size());
      fmt::print("{}", text(parts[i]));
    }
    return;
  }
  Json all = Json::array();
  for (const Part& part : parts) all.push_back(json(part));
  fmt::print("{}", Dump(parts.size() == 1 ? all.front() : all));
}

WhySelection SelectionOf(const WhyOptions& options) {
  WhySelection selection{.tenant = options.tenant};
  if (options.worst.has_value()) selection.worst = *options.worst;
  for (const Outcome outcome : {Outcome::kMiss, Outcome::kDropped, Outcome::kRejected}) {
    if (options.outcome == ToString(outcome)) selection.outcome = outcome;
  }
  return selection;
}

}  // namespace

int Run(const ReplayOptions& options) {
  const auto recordings = Load(options.recording, options.cut_off);
  if (!recordings.has_value()) return Complain(recordings.error(), kBadInput);
  if (const Status loaded = LoadPolicyPlugins(options.policy); !loaded.has_value())
    return Complain(loaded.error(), kBadInput);
  std::vector<ReplayReport> reports;
  for (const Recording& recording : *recordings) {
    auto report = Replay(recording, &RecordedPolicy);
    if (!report.has_value()) return Complain(report.error(), kBadInput);
    reports.push_back(std::move(*report));
  }
  PrintParts(
      options.form, reports, [](const ReplayReport& report) { return ToText(report); },
      &ReplayJson);
  return std::ranges::all_of(reports, &ReplayReport::identical) ? kDone : kObjectiveNotMet;
}

int Run(const WhyOptions& options) {
  const auto recordings = Load(options.recording, options.cut_off);
  if (!recordings.has_value()) return Complain(recordings.error(), kBadInput);
  if (!options.request.has_value()) {
    std::vector<WhyMany> all;
    for (const Recording& recording : *recordings) {
      auto many = AccountForMany(recording, SelectionOf(options));
      if (!many.has_value()) return Complain(many.error(), kBadInput);
      all.push_back(std::move(*many));
    }
    PrintParts(
        options.form, all, [](const WhyMany& many) { return WithinWidth(ToText(many)); },
        &ManyJson);
    return kDone;
  }
  auto account = AccountFor(recordings->front(), *options.request);
  for (std::size_t i = 1; i < recordings->size() && !account.has_value(); ++i)
    account = AccountFor((*recordings)[i], *options.request);
  if (!account.has_value()) return Complain(account.error(), kBadInput);
  fmt::print("{}", options.form == OutputForm::kJson ? Dump(AccountJson(*account))
                                                     : WithinWidth(ToText(*account)));
  return kDone;
}

}  // namespace fairlead
