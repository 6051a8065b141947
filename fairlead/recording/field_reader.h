// Takes the fields of inputs and of plan entries off a line, each after one space: one of the
// walkers over scheduling/input_fields.h and scheduling/plan_fields.h.
//
// The first complaint is kept for Done(), so that a line is read without a check after each field.
// What could not be read keeps its value. That something exists is not asked here.
#pragma once

#include <charconv>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "fairlead/base/id.h"
#include "fairlead/base/result.h"
#include "fairlead/base/time.h"
#include "fairlead/recording/recording_header.h"
#include "fairlead/scheduling/assignment.h"
#include "fairlead/scheduling/event.h"

namespace fairlead {

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

}  // namespace fairlead
