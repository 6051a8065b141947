#include "fairlead/recording/recording_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace fairlead {
namespace {

constexpr std::int64_t kLastInstant = Nanoseconds(kRecordedTimeEnd) - 1;

// Takes numbers off the front of a line, each after one space. The first complaint is kept for
// Done(), so that a line is read without a check after each number.
class Numbers {
 public:
  explicit Numbers(std::string_view text) : left_(text) {}

  template <typename Integer>
  Integer Whole(std::string_view what, Integer low, Integer high) {
    Integer value = low;
    if (!Separator()) {
      Complain(what, low, high);
      return low;
    }
    const auto [end, code] = std::from_chars(left_.data(), left_.data() + left_.size(), value);
    if (code != std::errc{} || value < low || value > high) {
      Complain(what, low, high);
      return low;
    }
    left_.remove_prefix(static_cast<std::size_t>(end - left_.data()));
    return value;
  }
  template <typename IdType>
  IdType One(std::string_view what) {
    IdType id;
    id.value = Whole<std::uint32_t>(what, 0, UINT32_MAX);
    return id;
  }
  AssignmentId Assignment() {
    const auto slot = Whole<std::uint32_t>("slot", 0, UINT32_MAX);
    return {slot, Whole<std::uint32_t>("generation", 0, UINT32_MAX)};
  }
  Duration Time(std::string_view what, Duration longest) {
    return Duration{Whole<std::int64_t>(what, 0, Nanoseconds(longest))};
  }
  std::string_view Rest() {
    if (!Separator()) return {};
    return std::exchange(left_, {});
  }
  bool empty() const { return left_.empty(); }
  bool ok() const { return complaint_.empty(); }

  // Nothing was wrong and nothing is left.
  Status Done() const {
    if (!complaint_.empty()) return Fail("{}", complaint_);
    if (!left_.empty()) return Fail("'{}' is too much", Shown(left_));
    return {};
  }
  static std::string_view Shown(std::string_view text) { return text.substr(0, 40); }

 private:
  bool Separator() {
    if (left_.empty() || left_.front() != ' ') return false;
    left_.remove_prefix(1);
    return true;
  }
  template <typename Integer>
  void Complain(std::string_view what, Integer low, Integer high) {
    if (complaint_.empty()) {
      complaint_ = fmt::format("expected {} as a whole number from {} to {}, found '{}'", what, low,
                               high, Shown(left_));
    }
    left_ = {};
  }

  std::string_view left_;
  std::string complaint_;
};

// The reason at the end of a line, after a space; none when there is no such reason.
std::optional<Reason> ReadReason(std::string_view name) {
  constexpr std::array kReasons = {Reason::kNone,      Reason::kHopeless, Reason::kLate,
                                   Reason::kCancelled, Reason::kFailed,   Reason::kOverload,
                                   Reason::kClosed};
  for (Reason reason : kReasons) {
    if (ToString(reason) == name) return reason;
  }
  return std::nullopt;
}

int LinesIn(std::string_view text) { return static_cast<int>(std::ranges::count(text, '\n')); }

// Whether the last line is an end line; Next() reads it properly.
bool HasEnd(std::string_view body) {
  if (body.empty() || body.back() != '\n') return false;
  const std::size_t before = body.substr(0, body.size() - 1).rfind('\n');
  const std::string_view last = before == std::string_view::npos ? body : body.substr(before + 1);
  return last.starts_with('.');
}

}  // namespace

Recording::Recording(std::string file, std::string text, std::size_t body, RecordingOpening opening)
    : file_(std::move(file)), text_(std::move(text)), body_(body), opening_(std::move(opening)) {}

Result<Recording> ReadRecording(std::string file, std::string text, CutOff cut_off) {
  const std::size_t first_end = text.find('\n');
  const std::string_view first = std::string_view(text).substr(0, first_end);
  if (first != kRecordingFormat)
    return FailAt({file, 1, 0}, "not a recording of this version: expected '{}', found '{}'",
                  kRecordingFormat, Numbers::Shown(first));
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
  Numbers numbers(rest);
  if (word == "@") {
    step_.kind = RecordedStep::Kind::kAdvance;
    step_.now = AtNanoseconds(
        numbers.Whole<std::int64_t>("an instant", Nanoseconds(step_.now), kLastInstant));
    return numbers.Done();
  }
  if (word == "?") {
    step_.kind = RecordedStep::Kind::kDecision;
    if (held_) return Fail("a second decision before the first was carried out");
    held_ = true;
    ++decisions_;
    RETURN_IF_ERROR(numbers.Done());
    return ReadPlan();
  }
  if (word == "!") {
    step_.kind = RecordedStep::Kind::kCommit;
    if (!held_) return Fail("nothing was decided that could be carried out");
    held_ = false;
    return numbers.Done();
  }
  if (word == ".") {
    step_.kind = RecordedStep::Kind::kEnd;
    numbers.Whole<std::uint64_t>("the number of decisions", decisions_, decisions_);
    RETURN_IF_ERROR(numbers.Done());
    if (!left_.empty()) return Fail("the end, but more lines follow");
    return {};
  }
  step_.kind = RecordedStep::Kind::kInput;
  return ReadInput(word, rest);
}

Status RecordingReader::ReadInput(std::string_view word, std::string_view rest) {
  Numbers numbers(rest);
  if (word == "f") {
    step_.input = SegmentFinish{numbers.Assignment()};
  } else if (word == "a") {
    Request request;
    request.number = numbers.Whole<std::uint64_t>("a request", 0, UINT64_MAX);
    request.agreement = numbers.One<AgreementId>("an agreement");
    request.arrival =
        AtNanoseconds(numbers.Whole<std::int64_t>("its arrival", 0, Nanoseconds(step_.now)));
    request.deadline = numbers.Time("its deadline", kLongestDuration);
    request.priority = numbers.Whole<int>("its priority", INT32_MIN, INT32_MAX);
    step_.input = Arrival{request};
  } else if (word == "fail") {
    step_.input = SegmentFailure{numbers.Assignment()};
  } else if (word == "cancel") {
    const auto job = numbers.One<JobId>("a job");
    step_.input = Cancellation{{job, numbers.Whole<std::uint64_t>("its serial", 0, UINT64_MAX)}};
  } else if (word == "lose") {
    step_.input = AcceleratorLoss{numbers.One<AcceleratorId>("an accelerator")};
  } else if (word == "return") {
    step_.input = AcceleratorReturn{numbers.One<AcceleratorId>("an accelerator")};
  } else if (word == "join") {
    ASSIGN_OR_RETURN(Tenant tenant, ParseRecordedTenant(numbers.Rest()));
    step_.input = TenantJoin{std::move(tenant)};
  } else if (word == "leave") {
    step_.input = TenantLeave{numbers.One<TenantId>("a tenant")};
  } else if (word == "agree") {
    ASSIGN_OR_RETURN(const auto agreement, ParseRecordedAgreement(numbers.Rest()));
    step_.input = AgreementStart{agreement};
  } else if (word == "change") {
    const auto id = numbers.One<AgreementId>("an agreement");
    if (!numbers.ok()) return numbers.Done();
    ASSIGN_OR_RETURN(const auto agreement, ParseRecordedAgreement(numbers.Rest()));
    step_.input = AgreementChange{id, agreement};
  } else if (word == "close") {
    step_.input = AgreementEnd{numbers.One<AgreementId>("an agreement")};
  } else if (word == "policy") {
    ASSIGN_OR_RETURN(std::string policy, ParseRecordedText(numbers.Rest()));
    step_.input = PolicyChange{std::move(policy)};
  } else if (word == "reserve") {
    const auto accelerator = numbers.One<AcceleratorId>("an accelerator");
    step_.input = Reservation{accelerator, numbers.Time("its time", kLongestRecordedLatency)};
  } else if (word == "release") {
    step_.input = Release{numbers.One<AcceleratorId>("an accelerator")};
  } else {
    return Fail("'{}' begins no line of a recording", Numbers::Shown(word));
  }
  return numbers.Done();
}

Status RecordingReader::ReadPlan() {
  while (left_.starts_with('>')) RETURN_IF_ERROR(ReadEntry(TakeLine()));
  return {};
}

Status RecordingReader::ReadEntry(std::string_view line) {
  constexpr int kUnits = 1 << 30;
  const std::string_view word = line.substr(0, line.find(' '));
  Numbers numbers(line.substr(word.size()));
  if (word == ">" || word == ">>") {
    const auto accelerator = numbers.One<AcceleratorId>("an accelerator");
    const auto segment = numbers.One<SegmentId>("a segment");
    StartOptions options;
    options.units = numbers.Whole<int>("units", -kUnits, kUnits);
    options.bandwidth_cap = numbers.Whole<std::int64_t>("a bandwidth", INT64_MIN, INT64_MAX);
    jobs_.clear();
    while (numbers.ok() && !numbers.empty()) jobs_.push_back(numbers.One<JobId>("a job"));
    RETURN_IF_ERROR(numbers.Done());
    if (word == ">") {
      step_.plan.StartBatch(accelerator, jobs_, segment, options);
      return {};
    }
    if (jobs_.size() != 1) return Fail("expected one job, found {}", jobs_.size());
    step_.plan.Enqueue(accelerator, jobs_.front(), segment, options);
    return {};
  }
  if (word == ">drop" || word == ">reject") {
    const auto job = numbers.One<JobId>("a job");
    const std::optional<Reason> reason = ReadReason(numbers.Rest());
    RETURN_IF_ERROR(numbers.Done());
    if (!reason.has_value()) return Fail("expected a reason such as 'hopeless'");
    word == ">drop" ? step_.plan.Drop(job, *reason) : step_.plan.Reject(job, *reason);
    return {};
  }
  if (word == ">resize") {
    const AssignmentId assignment = numbers.Assignment();
    step_.plan.Resize(assignment, numbers.Whole<int>("units", -kUnits, kUnits));
    return numbers.Done();
  }
  if (word == ">wake") {
    const auto at = numbers.Whole<std::int64_t>("an instant", INT64_MIN, INT64_MAX);
    if (at > kLastInstant && AtNanoseconds(at) != kNever)
      return Fail("a wake-up after the end of time");
    step_.plan.Wake(AtNanoseconds(at));
    return numbers.Done();
  }
  return Fail("'{}' begins no entry of a plan", Numbers::Shown(word));
}

}  // namespace fairlead
