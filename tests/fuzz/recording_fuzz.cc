// Recordings: whatever stands in the file, replay, why and cut answer or refuse it.

#include "fairlead/base/check.h"
#include "fairlead/base/utc.h"
#include "fairlead/recording/recording_reader.h"
#include "fairlead/recording/replay.h"
#include "fairlead/recording/why.h"
#include "fairlead/running/run.h"
#include "tests/fuzz/fuzz_input.h"

namespace fairlead {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = TextOf(data, size);
  static_cast<void>(ParseUtc(text));
  for (const std::string_view part : SplitRecordings(text)) CHECK(part.size() <= size);
  for (const CutOff cut_off : {CutOff::kRefuse, CutOff::kAccept}) {
    const auto recording = ReadRecording("fuzz.rec", TextOf(data, size), cut_off);
    if (!recording.has_value()) {
      CHECK(recording.error().message.starts_with("fuzz.rec:"));
      continue;
    }
    const auto report = Replay(*recording, &RecordedPolicy);
    if (report.has_value()) {
      CHECK(!ToText(*report).empty());
    } else {
      CHECK_MSG(report.error().message.starts_with("fuzz.rec:"), report.error().message);
    }
    if (const auto times = TimesOf(*recording); times.has_value()) {
      CHECK(!FormatUtc(times->last).empty());
    } else {
      CHECK_MSG(times.error().message.starts_with("fuzz.rec:"), times.error().message);
    }
    // What is cut off a recording that can be read through can be read through too.
    if (report.has_value() && report->identical() && report->stopped.empty()) {
      for (const std::int64_t last : {0, 1000, 1'000'000'000}) {
        const auto cut = ReadRecording("cut.rec", CutAfter(*recording, AtNanoseconds(last)));
        CHECK(cut.has_value());
        const auto again = Replay(*cut, &RecordedPolicy);
        CHECK_MSG(again.has_value(), again.error().message);
        CHECK(again->identical() && again->decisions <= report->decisions);
      }
    }
    for (const RequestNumber request : {0, 1, 2}) {
      const auto account = AccountFor(*recording, request);
      if (!account.has_value()) {
        CHECK_MSG(account.error().message.starts_with("fuzz.rec:"), account.error().message);
        continue;
      }
      CHECK(account->total() >= Duration::zero());
      CHECK(!ToText(*account).empty() && !Verdict(*account).empty());
    }
  }
  return 0;
}

}  // namespace fairlead
