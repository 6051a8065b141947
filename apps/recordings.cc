// fairlead replay, fairlead why
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "apps/input_files.h"
#include "apps/verbs.h"
#include "fairlead/config/world.h"
#include "fairlead/recording/recording_reader.h"
#include "fairlead/recording/replay.h"
#include "fairlead/recording/why.h"
#include "fairlead/running/run.h"

namespace fairlead {
namespace {

using Json = nlohmann::ordered_json;

Result<Recording> Load(const std::string& path, bool cut_off) {
  ASSIGN_OR_RETURN(std::string text, ReadInput(path));
  return ReadRecording(path, std::move(text), cut_off ? CutOff::kAccept : CutOff::kRefuse);
}

std::string Dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string ReplayJson(const ReplayReport& report) {
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
  return Dump(json);
}

std::string WhyJson(const RequestAccount& account) {
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
  return Dump({{"request", account.request},
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
               {"verdict", Verdict(account)}});
}

}  // namespace

int Run(const ReplayOptions& options) {
  const auto recording = Load(options.recording, options.cut_off);
  if (!recording.has_value()) return Complain(recording.error(), kBadInput);
  const auto report = Replay(*recording, &RecordedPolicy);
  if (!report.has_value()) return Complain(report.error(), kBadInput);
  fmt::print("{}", options.form == OutputForm::kJson ? ReplayJson(*report) : ToText(*report));
  return report->identical() ? kDone : kObjectiveNotMet;
}

int Run(const WhyOptions& options) {
  const auto recording = Load(options.recording, options.cut_off);
  if (!recording.has_value()) return Complain(recording.error(), kBadInput);
  const auto account = AccountFor(*recording, options.request);
  if (!account.has_value()) return Complain(account.error(), kBadInput);
  fmt::print("{}", options.form == OutputForm::kJson ? WhyJson(*account) : ToText(*account));
  return kDone;
}

}  // namespace fairlead
