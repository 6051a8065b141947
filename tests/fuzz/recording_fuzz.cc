// Recordings: whatever stands in the file, replay and why answer or refuse it.

#include "fairlead/base/check.h"
#include "fairlead/recording/recording_reader.h"
#include "fairlead/recording/replay.h"
#include "fairlead/recording/why.h"
#include "fairlead/running/run.h"
#include "tests/fuzz/fuzz_input.h"

namespace fairlead {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
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
