#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "fairlead/recording/recording_reader.h"
#include "fairlead/recording/testing/sample_recording.h"

namespace fairlead {
namespace {

using testing::EndsWith;

constexpr std::int64_t kZero = 1'700'000'000'000'000'000;

// Instants 50, 60 and 90, with a decision each.
std::string Piece(const std::string& clock = std::to_string(kZero)) {
  const RecordedSample world;
  RecordingHeader header = Header();
  header.extras[std::string(kPieceClock)] = clock;
  std::ostringstream stream;
  RecordingWriter writer(stream, header, world.ForEngine());
  for (const std::int64_t at : {50, 60, 90}) {
    writer.Advanced(AtNanoseconds(at));
    writer.Applied(Expiry{});
    writer.Decided({});
    writer.Committed();
  }
  EXPECT_TRUE(writer.Close().has_value());
  return stream.str();
}

TEST(RecordingCut, KnowsWhenAPieceWas) {
  const auto times = TimesOf(ReadRecording("f.rec", Piece()).value());
  ASSERT_TRUE(times.has_value()) << times.error().message;
  EXPECT_EQ(times->instant_zero, kZero);
  EXPECT_EQ(times->first, kZero + 50);
  EXPECT_EQ(times->last, kZero + 90);
}

TEST(RecordingCut, RefusesWhatSaysNoTime) {
  for (const char* const clock : {"", "soon", "-1", "9223372036854775807"}) {
    const auto times = TimesOf(ReadRecording("f.rec", Piece(clock)).value());
    ASSERT_FALSE(times.has_value()) << clock;
    EXPECT_EQ(times.error().message,
              "f.rec:2: it does not say what time it was: no piece of a server's log");
  }
}

TEST(RecordingCut, EndsWithTheLastInstantThatIsNotAfterIt) {
  const Recording whole = ReadRecording("f.rec", Piece()).value();
  EXPECT_EQ(CutAfter(whole, AtNanoseconds(90)), Piece());
  const std::string cut = CutAfter(whole, AtNanoseconds(89));
  EXPECT_THAT(cut, EndsWith("@ 60\nexpire\n?\n!\n. 2\n"));
  EXPECT_EQ(CutAfter(whole, AtNanoseconds(60)), cut);
  EXPECT_EQ(Rewritten(cut).value(), cut);
}

TEST(RecordingCut, TakesWhatWasWrittenOfABrokenPiece) {
  const std::string whole = Piece();
  const auto broken =
      ReadRecording("f.rec", whole.substr(0, whole.rfind("!")), CutOff::kAccept).value();
  EXPECT_THAT(CutAfter(broken, AtNanoseconds(1000)), EndsWith("@ 90\nexpire\n. 2\n"));
}

TEST(RecordingCut, SeveralStandInOneFile) {
  const std::string piece = Piece();
  const std::string cut = CutAfter(ReadRecording("f.rec", piece).value(), AtNanoseconds(60));
  const std::string both = cut + piece;
  EXPECT_THAT(SplitRecordings(both), testing::ElementsAre(cut, piece));
  EXPECT_THAT(SplitRecordings("something else"), testing::ElementsAre("something else"));
  EXPECT_THAT(SplitRecordings(""), testing::ElementsAre(""));
}

}  // namespace
}  // namespace fairlead
