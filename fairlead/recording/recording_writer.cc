#include "fairlead/recording/recording_writer.h"

#include <variant>

#include "fairlead/recording/field_writer.h"
#include "fairlead/recording/recording_reader.h"
#include "fairlead/scheduling/input_fields.h"
#include "fairlead/scheduling/plan_fields.h"

namespace fairlead {
namespace {

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
