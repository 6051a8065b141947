// fairlead cut
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <vector>

#include "apps/input_files.h"
#include "apps/output_file.h"
#include "apps/verbs.h"
#include "fairlead/base/units.h"
#include "fairlead/base/utc.h"
#include "fairlead/recording/recording_cut.h"

namespace fairlead {
namespace {

using Json = nlohmann::ordered_json;

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

Json Described(const Piece& piece, const Stretch& stretch) {
  return {{"piece", piece.path},
          {"from", FormatUtc(piece.times.first)},
          {"to", FormatUtc(std::min(piece.times.last, stretch.to))}};
}

void Report(const CutOptions& options, const std::vector<Piece>& pieces, const Stretch& stretch) {
  if (options.form == OutputForm::kJson) {
    Json list = Json::array();
    for (const Piece& piece : pieces) list.push_back(Described(piece, stretch));
    fmt::print("{}\n", Json{{"out", options.out}, {"pieces", list}}.dump(2));
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

int Run(const CutOptions& options) {
  const Status done = CutOut(options);
  return done.has_value() ? kDone : Complain(done.error(), kBadInput);
}

}  // namespace fairlead
