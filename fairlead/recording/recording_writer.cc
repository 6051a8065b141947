#include "fairlead/recording/recording_writer.h"

#include <fmt/format.h>

#include <concepts>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "fairlead/base/id.h"
#include "fairlead/base/time.h"
#include "fairlead/recording/recording_header.h"
#include "fairlead/recording/recording_reader.h"
#include "fairlead/scheduling/assignment.h"
#include "fairlead/scheduling/event.h"
#include "fairlead/scheduling/input_fields.h"
#include "fairlead/scheduling/plan_fields.h"

namespace fairlead {
namespace {

// Writes the fields of inputs and of plan entries to a line, each after a space: one of the walkers
// over scheduling/input_fields.h and scheduling/plan_fields.h. Allocates nothing but for objects
// and texts, which are rare.

class FieldWriter {
 public:
  // The jobs are those of a plan entry.
  explicit FieldWriter(fmt::memory_buffer& line, std::span<const JobId> jobs = {})
      : line_(line), jobs_(jobs) {}

  template <std::integral Integer>
  void Whole(std::string_view /*what*/, Integer number) {
    Digits(number);
  }
  template <typename Tag>
  void Known(std::string_view /*what*/, Id<Tag> id) {
    Digits(id.value);
  }
  void Time(std::string_view /*what*/, Duration time, Duration /*longest*/) {
    Digits(Nanoseconds(time));
  }
  void Past(std::string_view /*what*/, Instant at) { Digits(Nanoseconds(at)); }
  void Assignment(const AssignmentId& assignment) {
    Digits(assignment.slot);
    Digits(assignment.generation);
  }
  void Text(std::string_view /*what*/, const std::string& text) { Word(FormatRecorded(text)); }
  template <typename ObjectType>
  void Object(const ObjectType& object) {
    Word(FormatRecorded(object));
  }

  template <typename Tag>
  void Named(std::string_view /*what*/, Id<Tag> id) {
    Digits(id.value);
  }
  void Units(int units) { Digits(units); }
  void Version(int version) {
    if (version != 0) Word(fmt::format("v{}", version));
  }
  void Job() { Digits(jobs_.front().value); }
  void Jobs() {
    for (JobId job : jobs_) Digits(job.value);
  }
  template <typename Enum>
  void Choice(std::string_view /*what*/, Enum value, std::span<const std::string_view> names) {
    Word(names[static_cast<std::size_t>(value)]);
  }
  void Wake(Instant at) { Digits(Nanoseconds(at)); }

 private:
  template <std::integral Integer>
  void Digits(Integer number) {
    const fmt::format_int digits(number);
    line_.push_back(' ');
    line_.append(digits.data(), digits.data() + digits.size());
  }
  void Word(std::string_view word) {
    line_.push_back(' ');
    line_.append(word.data(), word.data() + word.size());
  }

  fmt::memory_buffer& line_;
  std::span<const JobId> jobs_;
};

constexpr std::size_t kBlock = std::size_t{1} << 16;

}  // namespace

RecordingWriter::RecordingWriter(std::ostream& stream, const RecordingHeader& header,
                                 const EngineWorld& world)
    : stream_(stream) {
  buffer_.reserve(2 * kBlock);
  Word(kRecordingFormat);
  EndLine();
  Word(FormatRecordingHeader(header, world));
  EndLine();
}

void RecordingWriter::Word(std::string_view word) {
  buffer_.append(word.data(), word.data() + word.size());
}

void RecordingWriter::EndLine() {
  buffer_.push_back('\n');
  if (buffer_.size() >= kBlock) Flush();
}

void RecordingWriter::Flush() {
  stream_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  buffer_.clear();
}

Status RecordingWriter::Close() {
  Word(".");
  FieldWriter(buffer_).Whole("decisions", decisions_);
  EndLine();
  Flush();
  stream_.flush();
  if (!stream_.good()) return Fail("the recording could not be written completely");
  return {};
}

void RecordingWriter::Advanced(Instant now) {
  Word("@");
  FieldWriter(buffer_).Past("an instant", now);
  EndLine();
}

void RecordingWriter::Applied(const Input& input) {
  std::visit(
      [this]<typename InputType>(const InputType& what) {
        Word(InputFields<InputType>::kWord);
        FieldWriter fields(buffer_);
        InputFields<InputType>::Walk(fields, what);
      },
      input);
  EndLine();
}

void RecordingWriter::Decided(const SchedulingPlan& plan) {
  ++decisions_;
  Word("?");
  EndLine();
  for (const PlanEntry& entry : plan.entries()) {
    Word(NamesOf(entry.verb).word);
    FieldWriter fields(buffer_, plan.JobsOf(entry));
    WalkEntry(fields, entry);
    EndLine();
  }
}

void RecordingWriter::Committed() {
  Word("!");
  EndLine();
}

}  // namespace fairlead
