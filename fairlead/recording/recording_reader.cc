#include "fairlead/recording/recording_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "fairlead/base/id.h"
#include "fairlead/base/result.h"
#include "fairlead/base/time.h"
#include "fairlead/base/units.h"
#include "fairlead/recording/recording_header.h"
#include "fairlead/scheduling/assignment.h"
#include "fairlead/scheduling/event.h"
#include "fairlead/scheduling/input_fields.h"
#include "fairlead/scheduling/plan_fields.h"

namespace fairlead {

// Takes the fields of inputs and of plan entries off a line, each after one space: one of the
// walkers over scheduling/input_fields.h and scheduling/plan_fields.h.
//
// The first complaint is kept for Done(), so that a line is read without a check after each field.
// What could not be read keeps its value. That something exists is not asked here.

class FieldReader {
 public:
  // What happened, happened by `now`. The jobs of a plan entry are added to `jobs`, which is not
  // owned.
  FieldReader(std::string_view line, Instant now, std::vector<JobId>& jobs)
      : left_(line), now_(now), jobs_(jobs) {}

  template <typename Integer>
  void Whole(std::string_view what, Integer& number,
             std::type_identity_t<Integer> low = std::numeric_limits<Integer>::min(),
             std::type_identity_t<Integer> high = std::numeric_limits<Integer>::max()) {
    if (Separator()) {
      Integer value{};
      const auto [end, code] = std::from_chars(left_.data(), left_.data() + left_.size(), value);
      if (code == std::errc{} && value >= low && value <= high) {
        left_.remove_prefix(static_cast<std::size_t>(end - left_.data()));
        number = value;
        return;
      }
    }
    if (!ok()) return;
    Complain(fmt::format("expected {} as a whole number from {} to {}, found '{}'", what, low, high,
                         Shown(left_)));
  }
  template <typename Tag>
  void Known(std::string_view what, Id<Tag>& id) {
    Whole(what, id.value);
  }
  void Time(std::string_view what, Duration& time, Duration longest) {
    std::int64_t nanoseconds = 0;
    Whole(what, nanoseconds, 0, Nanoseconds(longest));
    time = Duration{nanoseconds};
  }
  void Past(std::string_view what, Instant& at) {
    std::int64_t nanoseconds = 0;
    Whole(what, nanoseconds, 0, Nanoseconds(now_));
    at = AtNanoseconds(nanoseconds);
  }
  void Assignment(AssignmentId& assignment) {
    Whole("slot", assignment.slot);
    Whole("generation", assignment.generation);
  }
  void Text(std::string_view /*what*/, std::string& text) { Parse(text); }
  template <typename ObjectType>
  void Object(ObjectType& object) {
    Parse(object);
  }

  template <typename Tag>
  void Named(std::string_view what, Id<Tag>& id) {
    Whole(what, id.value);
  }
  void Units(int& units) {
    constexpr int kMost = 1 << 30;
    Whole("units", units, -kMost, kMost);
  }
  void Version(int& version) {
    constexpr int kMost = 1 << 30;
    version = 0;
    if (!left_.starts_with(" v")) return;
    left_.remove_prefix(1);
    left_ = left_.substr(1);
    const auto [end, code] = std::from_chars(left_.data(), left_.data() + left_.size(), version);
    if (code != std::errc{} || version < 1 || version > kMost)
      return Complain(fmt::format("expected a version, found '{}'", Shown(left_)));
    left_.remove_prefix(static_cast<std::size_t>(end - left_.data()));
  }
  void Job() { Whole("a job", jobs_.emplace_back().value); }
  void Jobs() {
    while (ok() && !left_.empty()) Job();
  }
  template <typename Enum>
  void Choice(std::string_view what, Enum& value, std::span<const std::string_view> names) {
    const std::string_view name = Rest();
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (name != names[i]) continue;
      value = static_cast<Enum>(i);
      return;
    }
    if (ok()) Complain(fmt::format("expected {} such as '{}'", what, names[1]));
  }
  void Wake(Instant& at) {
    std::int64_t nanoseconds = 0;
    Whole("an instant", nanoseconds);
    at = AtNanoseconds(nanoseconds);
    if (ok() && at >= kRecordedTimeEnd && at != kNever) Complain("a wake-up after the end of time");
  }

  bool ok() const { return complaint_.empty(); }
  // Nothing was wrong and nothing is left.
  Status Done() const {
    if (!ok()) return Fail("{}", complaint_);
    if (!left_.empty()) return Fail("'{}' is too much", Shown(left_));
    return {};
  }
  // For messages.
  static std::string_view Shown(std::string_view text) { return text.substr(0, 40); }

 private:
  bool Separator() {
    if (left_.empty() || left_.front() != ' ') return false;
    left_.remove_prefix(1);
    return true;
  }
  std::string_view Rest() {
    if (!Separator()) return {};
    return std::exchange(left_, {});
  }
  template <typename Parsed>
  void Parse(Parsed& parsed) {
    if (!ok()) return;
    if (Status status = ParseRecorded(Rest(), parsed); !status.has_value())
      Complain(std::move(status).error().message);
  }
  void Complain(std::string complaint) {
    complaint_ = std::move(complaint);
    left_ = {};
  }

  std::string_view left_;
  Instant now_;
  std::vector<JobId>& jobs_;
  std::string complaint_;
};

namespace {

constexpr std::int64_t kLastInstant = Nanoseconds(kRecordedTimeEnd) - 1;

int LinesIn(std::string_view text) { return static_cast<int>(std::ranges::count(text, '\n')); }

// Whether the last line is an end line; Next() reads it properly.
bool HasEnd(std::string_view body) {
  if (body.empty() || body.back() != '\n') return false;
  const std::size_t before = body.substr(0, body.size() - 1).rfind('\n');
  const std::string_view last = before == std::string_view::npos ? body : body.substr(before + 1);
  return last.starts_with('.');
}

// A plan may go on behind the cut: the decision is left out.
void LeaveOutOpenPlan(std::string& text) {
  std::size_t end = text.size();
  while (end > 0) {
    const std::size_t line = text.rfind('\n', end - 2) + 1;
    if (text[line] == '?') return text.resize(line);
    if (text[line] != '>') return;
    end = line;
  }
}

}  // namespace

Recording::Recording(std::string file, std::string text, std::size_t body, RecordingOpening opening)
    : file_(std::move(file)), text_(std::move(text)), body_(body), opening_(std::move(opening)) {}

Result<Recording> ReadRecording(std::string file, std::string text, CutOff cut_off) {
  const std::size_t first_end = text.find('\n');
  const std::string_view first = std::string_view(text).substr(0, first_end);
  if (first != kRecordingFormat)
    return FailAt({file, 1, 0}, "not a recording of this version: expected '{}', found '{}'",
                  kRecordingFormat, FieldReader::Shown(first));
  const std::size_t second_end =
      first_end == std::string::npos ? std::string::npos : text.find('\n', first_end + 1);
  if (second_end == std::string::npos) return FailAt({file, 2, 0}, "cut off in its head");
  const std::string_view head =
      std::string_view(text).substr(first_end + 1, second_end - first_end - 1);
  Result<RecordingOpening> opening = ParseRecordingHeader(head);
  if (!opening.has_value()) return FailAt({file, 2, 0}, "{}", opening.error().message);

  const std::size_t body = second_end + 1;
  if (!HasEnd(std::string_view(text).substr(body))) {
    if (cut_off == CutOff::kRefuse)
      return FailAt({file, LinesIn(text) + 1, 0},
                    "cut off: expected an end line, '.' and the number of decisions");
    text.resize(text.rfind('\n') + 1);
    LeaveOutOpenPlan(text);
  }
  return Recording(std::move(file), std::move(text), body, *std::move(opening));
}

RecordingReader::RecordingReader(const Recording& recording)
    : file_(recording.file()), left_(recording.body()) {}

std::string_view RecordingReader::TakeLine() {
  const std::size_t end = left_.find('\n');
  const std::string_view line = left_.substr(0, end);
  left_.remove_prefix(std::min(left_.size(), line.size() + 1));
  ++line_;
  return line;
}

Result<const RecordedStep*> RecordingReader::Next() {
  step_.plan.Clear();
  if (left_.empty()) {  // an accepted cut
    step_.kind = RecordedStep::Kind::kEnd;
    step_.line = line_;
    return &step_;
  }
  const std::string_view line = TakeLine();
  step_.line = line_;
  if (Status status = ReadLine(line); !status.has_value())
    return FailAt({file_, line_, 0}, "{}", status.error().message);
  return &step_;
}

Status RecordingReader::ReadLine(std::string_view line) {
  const std::string_view word = line.substr(0, line.find(' '));
  const std::string_view rest = line.substr(word.size());
  FieldReader fields(rest, step_.now, jobs_);
  if (word == "@") {
    step_.kind = RecordedStep::Kind::kAdvance;
    std::int64_t now = 0;
    fields.Whole("an instant", now, Nanoseconds(step_.now), kLastInstant);
    step_.now = AtNanoseconds(now);
    return fields.Done();
  }
  if (word == "?") {
    step_.kind = RecordedStep::Kind::kDecision;
    if (held_) return Fail("a second decision before the first was carried out");
    held_ = true;
    ++decisions_;
    RETURN_IF_ERROR(fields.Done());
    while (left_.starts_with('>')) RETURN_IF_ERROR(ReadEntry(TakeLine()));
    return {};
  }
  if (word == "!") {
    step_.kind = RecordedStep::Kind::kCommit;
    if (!held_) return Fail("nothing was decided that could be carried out");
    held_ = false;
    return fields.Done();
  }
  if (word == ".") {
    step_.kind = RecordedStep::Kind::kEnd;
    std::uint64_t decisions = 0;
    fields.Whole("the number of decisions", decisions, decisions_, decisions_);
    RETURN_IF_ERROR(fields.Done());
    if (!left_.empty()) return Fail("the end, but more lines follow");
    return {};
  }
  step_.kind = RecordedStep::Kind::kInput;
  if (!ReadInput<0>(word, fields))
    return Fail("'{}' begins no line of a recording", FieldReader::Shown(word));
  return fields.Done();
}

// Looks for the word among the inputs, from the given one on.
template <std::size_t kIndex>
bool RecordingReader::ReadInput(std::string_view word, FieldReader& fields) {
  if constexpr (kIndex == std::variant_size_v<Input>) {
    return false;
  } else {
    using Description = InputFields<std::variant_alternative_t<kIndex, Input>>;
    if (word != Description::kWord) return ReadInput<kIndex + 1>(word, fields);
    Description::Walk(fields, step_.input.emplace<kIndex>());
    return true;
  }
}

Status RecordingReader::ReadEntry(std::string_view line) {
  const std::string_view word = line.substr(0, line.find(' '));
  const auto verb = std::ranges::find(kVerbs, word, &VerbNames::word);
  if (verb == kVerbs.end()) return Fail("'{}' begins no entry of a plan", FieldReader::Shown(word));
  PlanEntry entry{.verb = static_cast<Verb>(verb - kVerbs.begin())};
  jobs_.clear();
  FieldReader fields(line.substr(word.size()), step_.now, jobs_);
  WalkEntry(fields, entry);
  RETURN_IF_ERROR(fields.Done());
  step_.plan.Append(entry, jobs_);
  return {};
}

namespace {

// The instant that a line opens; none: it opens none.
std::optional<std::int64_t> OpenedBy(std::string_view line) {
  if (!line.starts_with("@ ")) return std::nullopt;
  line.remove_prefix(2);
  std::int64_t instant = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), instant);
  if (error != std::errc() || end != line.data() + line.size()) return std::nullopt;
  return instant;
}

// Calls `visit` with each line and where it begins, until it says false.
template <typename Visit>
void VisitLines(std::string_view text, const Visit& visit) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (!visit(text.substr(begin, end - begin), begin)) return;
    begin = end + 1;
  }
}

}  // namespace

Result<PieceTimes> TimesOf(const Recording& recording) {
  const auto& extras = recording.header().extras;
  const auto clock = extras.find(std::string(kPieceClock));
  const auto zero = ParseInteger(clock == extras.end() ? std::string() : clock->second);
  // So that adding an instant is no more than a time of day can be.
  if (!zero.has_value() || *zero < 0 ||
      *zero > std::numeric_limits<std::int64_t>::max() - Nanoseconds(kRecordedTimeEnd))
    return FailAt({recording.file(), 2, 0},
                  "it does not say what time it was: no piece of a server's log");
  std::optional<std::int64_t> first;
  std::int64_t last = 0;
  VisitLines(recording.body(), [&](std::string_view line, std::size_t) {
    const auto instant = OpenedBy(line);
    if (!instant.has_value() || *instant < 0 || *instant >= Nanoseconds(kRecordedTimeEnd))
      return true;
    if (!first.has_value()) first = instant;
    last = *instant;
    return true;
  });
  if (!first.has_value()) return FailAt({recording.file(), 3, 0}, "nothing happens in it");
  return PieceTimes{.instant_zero = *zero, .first = *zero + *first, .last = *zero + last};
}

std::string CutAfter(const Recording& recording, Instant last) {
  std::uint64_t decisions = 0;
  std::size_t end = recording.body().size();
  VisitLines(recording.body(), [&](std::string_view line, std::size_t begin) {
    const auto instant = OpenedBy(line);
    if (line.starts_with('.') || (instant.has_value() && *instant > Nanoseconds(last))) {
      end = begin;
      return false;
    }
    if (line == "?") ++decisions;
    return true;
  });
  return fmt::format("{}{}. {}\n", recording.head(), recording.body().substr(0, end), decisions);
}

std::vector<std::string_view> SplitRecordings(std::string_view text) {
  const std::string opening = fmt::format("\n{}\n", kRecordingFormat);
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t next = text.find(opening);
    if (next == std::string_view::npos) break;
    parts.push_back(text.substr(0, next + 1));
    text.remove_prefix(next + 1);
  }
  parts.push_back(text);
  return parts;
}

}  // namespace fairlead
