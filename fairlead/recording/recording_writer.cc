#include "fairlead/recording/recording_writer.h"

#include <variant>

#include "fairlead/recording/recording_reader.h"

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

void RecordingWriter::Number(std::uint64_t number) {
  const fmt::format_int digits(number);
  buffer_.push_back(' ');
  buffer_.append(digits.data(), digits.data() + digits.size());
}

void RecordingWriter::Signed(std::int64_t number) {
  const fmt::format_int digits(number);
  buffer_.push_back(' ');
  buffer_.append(digits.data(), digits.data() + digits.size());
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
  Number(decisions_);
  EndLine();
  Flush();
  stream_.flush();
  if (!stream_.good()) return Fail("the recording could not be written completely");
  return {};
}

void RecordingWriter::Advanced(Instant now) {
  Word("@");
  Signed(Nanoseconds(now));
  EndLine();
}

void RecordingWriter::Applied(const Input& input) {
  std::visit([this](const auto& what) { Write(what); }, input);
  EndLine();
}

void RecordingWriter::Decided(const SchedulingPlan& plan) {
  ++decisions_;
  Word("?");
  EndLine();
  for (const PlanEntry& entry : plan.entries()) {
    Entry(plan, entry);
    EndLine();
  }
}

void RecordingWriter::Committed() {
  Word("!");
  EndLine();
}

void RecordingWriter::Entry(const SchedulingPlan& plan, const PlanEntry& entry) {
  switch (entry.verb) {
    case Verb::kStart:
    case Verb::kEnqueue:
      Word(entry.verb == Verb::kStart ? ">" : ">>");
      Number(entry.accelerator.value);
      Number(entry.segment.value);
      Signed(entry.options.units);
      Signed(entry.options.bandwidth_cap);
      for (JobId job : plan.JobsOf(entry)) Number(job.value);
      return;
    case Verb::kResize:
      Word(">resize");
      Number(entry.assignment.slot);
      Number(entry.assignment.generation);
      Signed(entry.options.units);
      return;
    case Verb::kDrop:
    case Verb::kReject:
      Word(entry.verb == Verb::kDrop ? ">drop" : ">reject");
      Number(plan.JobsOf(entry).front().value);
      Word(" ");
      Word(ToString(entry.reason));
      return;
    case Verb::kWake:
      Word(">wake");
      Signed(Nanoseconds(entry.at));
      return;
  }
}

void RecordingWriter::Write(const Arrival& arrival) {
  const Request& request = arrival.request;
  Word("a");
  Number(request.number);
  Number(request.agreement.value);
  Signed(Nanoseconds(request.arrival));
  Signed(Nanoseconds(request.deadline));
  Signed(request.priority);
}

void RecordingWriter::Write(const Cancellation& cancellation) {
  Word("cancel");
  Number(cancellation.job.id.value);
  Number(cancellation.job.serial);
}

void RecordingWriter::Write(const SegmentFinish& finish) {
  Word("f");
  Number(finish.assignment.slot);
  Number(finish.assignment.generation);
}

void RecordingWriter::Write(const SegmentFailure& failure) {
  Word("fail");
  Number(failure.assignment.slot);
  Number(failure.assignment.generation);
}

void RecordingWriter::Write(const AcceleratorLoss& loss) {
  Word("lose");
  Number(loss.accelerator.value);
}

void RecordingWriter::Write(const AcceleratorReturn& back) {
  Word("return");
  Number(back.accelerator.value);
}

void RecordingWriter::Write(const TenantJoin& join) {
  Word("join ");
  Word(FormatRecordedTenant(join.tenant));
}

void RecordingWriter::Write(const TenantLeave& leave) {
  Word("leave");
  Number(leave.tenant.value);
}

void RecordingWriter::Write(const AgreementStart& start) {
  Word("agree ");
  Word(FormatRecordedAgreement(start.agreement));
}

void RecordingWriter::Write(const AgreementChange& change) {
  Word("change");
  Number(change.id.value);
  Word(" ");
  Word(FormatRecordedAgreement(change.agreement));
}

void RecordingWriter::Write(const AgreementEnd& end) {
  Word("close");
  Number(end.id.value);
}

void RecordingWriter::Write(const PolicyChange& change) {
  Word("policy ");
  Word(FormatRecordedText(change.policy));
}

void RecordingWriter::Write(const Reservation& reservation) {
  Word("reserve");
  Number(reservation.accelerator.value);
  Signed(Nanoseconds(reservation.expected));
}

void RecordingWriter::Write(const Release& release) {
  Word("release");
  Number(release.accelerator.value);
}

}  // namespace fairlead
