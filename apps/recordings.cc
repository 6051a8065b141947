// fairlead replay, fairlead why, fairlead cut
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "apps/files.h"
#include "apps/help_text.h"
#include "apps/verbs.h"
#include "fairlead/base/units.h"
#include "fairlead/base/utc.h"
#include "fairlead/recording/recording_reader.h"
#include "fairlead/recording/replay.h"
#include "fairlead/recording/why.h"
#include "fairlead/recording/why_many.h"
#include "fairlead/report/json_text.h"
#include "fairlead/running/run.h"
#include "fairlead/world/policy_plugin.h"
#include "fairlead/world/world.h"

namespace fairlead {
namespace {

// ---- Replay and why ------------------------------------------------------------------------

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

void PutReplay(JsonText& json, const ReplayReport& report) {
  json.Put("identical", report.identical(), "decisions", report.decisions, "inputs", report.inputs,
           "instants", report.instants, "end_ns", Nanoseconds(report.end), "policy_then",
           report.policy_then, "policy_now", report.policy_now);
  if (const auto& found = report.difference; found.has_value())
    json.Object("difference", "at_ns", Nanoseconds(found->at), "decision", found->decision, "what",
                found->what, "recorded", found->recorded, "replayed", found->replayed);
}

std::optional<std::int64_t> Known(Instant at) {
  return at == kNever ? std::nullopt : std::optional(Nanoseconds(at));
}

void PutAccount(JsonText& json, const RequestAccount& account) {
  json.Put("request", account.request, "tenant", account.tenant, "network", account.network,
           "arrival_ns", Nanoseconds(account.arrival), "deadline_ns",
           (account.deadline - account.arrival).count(), "end_ns", Nanoseconds(account.end),
           "outcome", account.outcome ? std::optional(ToString(*account.outcome)) : std::nullopt,
           "reason", ToString(account.reason), "admission_ns", account.admission.count(),
           "waited_ns", account.wait.time.count(), "alone_ns", account.alone.count(),
           "switching_ns", account.switching.count(), "handing_over_ns",
           account.going_on.handing_over.count(), "taking_over_ns",
           account.going_on.taking_over.count(), "moving_ns", account.going_on.moving.count(),
           "slowed_ns", account.slowed.count(), "lost_ns", account.lost.count());
  json.BeginList("behind");
  for (const Blocker& blocker : account.wait.behind)
    json.Row("tenant", blocker.tenant, "network", blocker.network, "time_ns", blocker.time.count());
  json.End();
  json.BeginList("segments");
  for (const SegmentAccount& segment : account.segments)
    json.Row("segment", segment.segment.value, "name", segment.name, "on_path", segment.on_path,
             "accelerator", segment.accelerator, "ready_ns", Known(segment.ready), "start_ns",
             Known(segment.start), "end_ns", Known(segment.end), "waited_ns",
             segment.wait.time.count(), "alone_ns", segment.alone.count(), "slowed_ns",
             segment.slowed.count());
  json.End();
  json.Put("verdict", Verdict(account));
}

void PutSums(JsonText& json, std::string_view key, const std::vector<TenantSum>& sums) {
  json.BeginList(key);
  for (const TenantSum& sum : sums)
    json.Row("tenant", sum.tenant, "network", sum.network, "requests", sum.requests, "time_ns",
             sum.time.count());
  json.End();
}

void PutMany(JsonText& json, const WhyMany& many) {
  json.Put("requests", many.requests, "missed", many.missed, "dropped", many.dropped, "rejected",
           many.rejected, "looked_at", many.accounts, "total_ns", many.total.count(),
           "admission_ns", many.admission.count(), "waited_ns", many.waited.count(), "deciding_ns",
           many.deciding.count(), "away_ns", many.away.count(), "idle_ns", many.idle.count(),
           "alone_ns", many.alone.count(), "switching_ns", many.switching.count(), "going_on_ns",
           many.going_on.count(), "slowed_ns", many.slowed.count(), "lost_ns", many.lost.count());
  PutSums(json, "behind", many.blockers);
  PutSums(json, "of", many.losers);
  json.BeginList("worst");
  for (const RequestAccount& account : many.worst) {
    json.BeginObject();
    PutAccount(json, account);
    json.End();
  }
  json.End();
}

// A recording's answer, or those of several: in JSON as a list.
template <typename Part, typename Text, typename PutJson>
void PrintParts(OutputForm form, const std::vector<Part>& parts, const Text& text,
                const PutJson& put) {
  if (form != OutputForm::kJson) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts.size() > 1)
        fmt::print("{}part {} of {}:\n", i == 0 ? "" : "\n", i + 1, parts.size());
      fmt::print("{}", text(parts[i]));
    }
    return;
  }
  const bool one = parts.size() == 1;
  JsonText json(2, one ? JsonText::Root::kObject : JsonText::Root::kList);
  for (const Part& part : parts) {
    if (!one) json.BeginObject();
    put(json, part);
    if (!one) json.End();
  }
  fmt::print("{}", std::move(json).Finish());
}

WhySelection SelectionOf(const WhyOptions& options) {
  WhySelection selection{.tenant = options.tenant};
  if (options.worst.has_value()) selection.worst = *options.worst;
  for (const Outcome outcome : {Outcome::kMiss, Outcome::kDropped, Outcome::kRejected}) {
    if (options.outcome == ToString(outcome)) selection.outcome = outcome;
  }
  return selection;
}

// ---- Cut -----------------------------------------------------------------------------------

// Nanoseconds since 1970.
struct Stretch {
  std::int64_t from = std::numeric_limits<std::int64_t>::min();
  std::int64_t to = std::numeric_limits<std::int64_t>::max();
};

// Piece names have the time in them: in order they are in order of time.
Result<std::vector<std::string>> PiecesIn(const std::string& log) {
  std::error_code error;
  if (!std::filesystem::is_directory(log, error)) return std::vector{log};
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(log, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("fairlead-") && name.ends_with(".rec"))
      paths.push_back(entry.path().string());
  }
  if (error) return Fail("{}: cannot be read: {}", log, error.message());
  if (paths.empty()) return Fail("{}: there is no piece of a log in it (fairlead-TIME.rec)", log);
  std::ranges::sort(paths);
  return paths;
}

// The last piece of a server that runs, or was killed, has no end line.
Result<Recording> ReadPiece(const std::string& path) {
  ASSIGN_OR_RETURN(std::string text, ReadInput(path));
  return ReadRecording(path, std::move(text), CutOff::kAccept);
}

struct Piece {
  std::string path;
  PieceTimes times;
};

// Those in which something happens; of each only its times are kept.
Result<std::vector<Piece>> LookThrough(const std::vector<std::string>& paths) {
  std::vector<Piece> pieces;
  std::string wrong;
  for (const std::string& path : paths) {
    const auto recording = ReadPiece(path);
    const auto times = recording.has_value()
                           ? TimesOf(*recording)
                           : Result<PieceTimes>(tl::unexpected(recording.error()));
    if (times.has_value()) {
      pieces.push_back({path, *times});
    } else {
      wrong = times.error().message;  // one that has only just begun
    }
  }
  if (pieces.empty()) return Fail("{}", wrong);
  std::ranges::sort(pieces, {}, [](const Piece& piece) { return piece.times.first; });
  return pieces;
}

Result<Stretch> StretchOf(const CutOptions& options, const std::vector<Piece>& pieces) {
  Stretch stretch;
  if (!options.from.empty()) {
    ASSIGN_OR_RETURN(stretch.from, ParseUtc(options.from));
  }
  if (!options.to.empty()) {
    ASSIGN_OR_RETURN(stretch.to, ParseUtc(options.to));
  }
  if (!options.last.empty()) {
    ASSIGN_OR_RETURN(const Duration last, ParseDuration(options.last));
    std::int64_t end = 0;
    for (const Piece& piece : pieces) end = std::max(end, piece.times.last);
    stretch.from = end - last.count();
  }
  if (stretch.from > stretch.to) return Fail("--from is after --to");
  return stretch;
}

void Report(const CutOptions& options, const std::vector<Piece>& pieces, const Stretch& stretch) {
  if (options.form == OutputForm::kJson) {
    JsonText json;
    json.Put("out", options.out);
    json.BeginList("pieces");
    for (const Piece& piece : pieces)
      json.Row("piece", piece.path, "from", FormatUtc(piece.times.first), "to",
               FormatUtc(std::min(piece.times.last, stretch.to)));
    json.End();
    fmt::print("{}", std::move(json).Finish());
    return;
  }
  for (const Piece& piece : pieces)
    fmt::print("{} to {}\n  of {}\n", FormatUtc(piece.times.first),
               FormatUtc(std::min(piece.times.last, stretch.to)), piece.path);
  if (const std::int64_t before = stretch.from - pieces.front().times.first;
      !(options.from.empty() && options.last.empty()) && before > 0)
    fmt::print("It begins {:.1f} s before what was asked for: there the piece begins.\n",
               static_cast<double>(before) * 1e-9);
  fmt::print("Next: {} replay {}\n", TypedCommand(), options.out);
}

Status CutOut(const CutOptions& options) {
  ASSIGN_OR_RETURN(const auto paths, PiecesIn(options.log));
  ASSIGN_OR_RETURN(std::vector<Piece> pieces, LookThrough(paths));
  ASSIGN_OR_RETURN(const Stretch stretch, StretchOf(options, pieces));
  const std::string all = fmt::format("{} to {}", FormatUtc(pieces.front().times.first),
                                      FormatUtc(pieces.back().times.last));
  std::erase_if(pieces, [&](const Piece& piece) {
    return piece.times.last < stretch.from || piece.times.first > stretch.to;
  });
  if (pieces.empty()) return Fail("{}: nothing was recorded then; there is {}", options.log, all);
  ASSIGN_OR_RETURN(const auto out, OutputFile::Open(options.out));
  for (const Piece& piece : pieces) {
    ASSIGN_OR_RETURN(const Recording recording, ReadPiece(piece.path));
    const std::int64_t last = std::min(piece.times.last, stretch.to) - piece.times.instant_zero;
    out->stream() << CutAfter(recording, AtNanoseconds(last));
  }
  RETURN_IF_ERROR(out->Commit());
  Report(options, pieces, stretch);
  return {};
}

}  // namespace

int Run(const ReplayOptions& options) {
  ASSIGN_OR_COMPLAIN(const auto recordings, Load(options.recording, options.cut_off), kBadInput);
  COMPLAIN_IF_ERROR(LoadPolicyPlugins(options.policy), kBadInput);
  std::vector<ReplayReport> reports;
  for (const Recording& recording : recordings) {
    ASSIGN_OR_COMPLAIN(auto report, Replay(recording, &RecordedPolicy), kBadInput);
    reports.push_back(std::move(report));
  }
  PrintParts(
      options.form, reports, [](const ReplayReport& report) { return ToText(report); }, &PutReplay);
  return std::ranges::all_of(reports, &ReplayReport::identical) ? kDone : kObjectiveNotMet;
}

int Run(const WhyOptions& options) {
  ASSIGN_OR_COMPLAIN(const auto recordings, Load(options.recording, options.cut_off), kBadInput);
  if (!options.request.has_value()) {
    std::vector<WhyMany> all;
    for (const Recording& recording : recordings) {
      ASSIGN_OR_COMPLAIN(auto many, AccountForMany(recording, SelectionOf(options)), kBadInput);
      all.push_back(std::move(many));
    }
    PrintParts(
        options.form, all, [](const WhyMany& many) { return WithinWidth(ToText(many)); }, &PutMany);
    return kDone;
  }
  auto account = AccountFor(recordings.front(), *options.request);
  for (std::size_t i = 1; i < recordings.size() && !account.has_value(); ++i)
    account = AccountFor(recordings[i], *options.request);
  if (!account.has_value()) return Complain(account.error(), kBadInput);
  PrintParts(
      options.form, std::vector{*account},
      [](const RequestAccount& one) { return WithinWidth(ToText(one)); }, &PutAccount);
  return kDone;
}

int Run(const CutOptions& options) {
  const Status done = CutOut(options);
  return done.has_value() ? kDone : Complain(done.error(), kBadInput);
}

}  // namespace fairlead
