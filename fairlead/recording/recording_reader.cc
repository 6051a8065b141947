#include "fairlead/recording/recording_reader.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "fairlead/recording/field_reader.h"
#include "fairlead/scheduling/input_fields.h"
#include "fairlead/scheduling/plan_fields.h"

namespace fairlead {
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

}  // namespace fairlead
