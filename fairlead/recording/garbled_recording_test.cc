// Whatever is wrong with a file is found where it stands.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fairlead/recording/testing/sample_recording.h"

namespace fairlead {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct Garbled {
  std::string what;
  std::string with;
  std::string message;  // a part of it
};

class GarbledRecording : public testing::TestWithParam<Garbled> {};

TEST_P(GarbledRecording, IsRefusedWithItsPlace) {
  const auto result = Rewritten(Replaced(Written(), GetParam().what, GetParam().with));
  ASSERT_FALSE(result.has_value());
  EXPECT_THAT(result.error().message, StartsWith("f.rec:"));
  EXPECT_THAT(result.error().message, HasSubstr(GetParam().message));
}

const std::string kDeep(100'000, '[');

INSTANTIATE_TEST_SUITE_P(
    Head, GarbledRecording,
    testing::Values(
        Garbled{"recording 1", "recording 2", "f.rec:1: not a recording of this version"},
        Garbled{"{\"fairlead\"", "\"fairlead\"", "f.rec:2: no valid JSON"},
        Garbled{"\"extras\":{", "\"extras\":" + kDeep + "{", "f.rec:2: no valid JSON"},
        Garbled{"\"scenario\"", "\"scenery\"", "'scenario': expected it to be there"},
        Garbled{"\"seed\":", "\"speed\":1,\"seed\":", "'speed': unknown key"},
        Garbled{"\"seed\":18446744073709551615", "\"seed\":-1", "'seed': expected a whole number"},
        Garbled{"\"seed\":18446744073709551615", "\"seed\":1.5", "'seed': expected a whole number"},
        Garbled{"\"empty\":\"\"", "\"empty\":1", "extras.empty: expected a text"},
        Garbled{"\"period\":250", "\"period\":-1", "engine.period: expected a whole number"},
        Garbled{"\"period\":250", "\"period\":9223372036854775807", "engine.period: expected"},
        Garbled{"\"late\":\"drop\"", "\"late\":\"lose\"", "expected one of finish, drop"},
        Garbled{"\"units\":8", "\"units\":0", "platform.kinds[1].units: expected"},
        Garbled{"\"units\":8", "\"units\":2000000000", "platform.kinds[1].units: expected"},
        Garbled{"\"kind\":1", "\"kind\":2", "platform.accelerators[2].kind: expected"},
        Garbled{"\"after\":[[],[0]]", "\"after\":[[]]", "networks[0]: 2 segments, but"},
        Garbled{"\"after\":[[],[0]]", "\"after\":[[1],[0]]", "a cycle"},
        Garbled{"\"after\":[[],[0]]", "\"after\":[[],[7]]", "which does not exist"},
        Garbled{"\"after\":[[],[0]]", "\"after\":[[],[-1]]", "networks[0]: segment 1"},
        Garbled{"\"costs\":[[0,", "\"costs\":[[2,", "costs[0]: expected a list of 8"},
        Garbled{"\"costs\":[[0,0,0,1,1,1000", "\"costs\":[[0,0,0,1,1,-1", "costs[0]: expected"},
        Garbled{"\"costs\":[[0,0,0,1,1,1000", "\"costs\":[[0,0,0,1,1,1e3", "costs[0]: expected"},
        Garbled{"\"costs\":[[0,0,", "\"costs\":[[0,0,0,1,1,1,1,1],[0,0,",
                "costs[1]: expected rows"},
        Garbled{"\"switching\":[", "\"switching\":[[0,0,0],", "an entry for each of 2 kinds"},
        Garbled{"\"kinds\":[[0,30]", "\"kinds\":[[0,30],[0,0]",
                "hand_overs.kinds: expected an entry for each of 2 kinds"},
        Garbled{"\"kinds\":[[0,30]", "\"kinds\":[[0,-30]", "hand_overs.kinds[0]: expected"},
        Garbled{"\"moves\":[[0,1,", "\"moves\":[[0,2,", "hand_overs.moves[0]: expected"},
        Garbled{"\"moves\":[[0,1,25", "\"moves\":[[0,1,-25", "hand_overs.moves[0]: expected"},
        Garbled{"\"moves\":", "\"move\":", "hand_overs.moves: expected"},
        Garbled{"\"alive\":[[4096,0]", "\"alive\":[[4096]", "hand_overs.alive[0]: expected"},
        Garbled{"\"alive\":[[4096", "\"alive\":[[-1", "hand_overs.alive[0][0]: expected"},
        Garbled{"\"alive\":[", "\"alive\":[[],", "hand_overs.alive: expected a list for each"},
        Garbled{"\"weight\":2.5", "\"weight\":NaN", "no valid JSON"},
        Garbled{"\"weight\":2.5", "\"weight\":1e999", "no valid JSON"},
        Garbled{"\"weight\":2.5", "\"weight\":-1", "tenants[0].weight: expected"},
        Garbled{"\"target\":0.9", "\"target\":90", "agreements[0].target: expected"},
        Garbled{"\"window\":10", "\"window\":1000000000", "agreements[0].window: expected"},
        Garbled{"\"agreements\":[{\"tenant\":1", "\"agreements\":[{\"tenant\":2",
                "agreements[0].tenant: there are only 2"}));

INSTANTIATE_TEST_SUITE_P(
    Body, GarbledRecording,
    testing::Values(
        Garbled{"@ 60", "@ 49", "expected an instant as a whole number from 50"},
        Garbled{"@ 60", "@ -60", "expected an instant"},
        Garbled{"@ 60", "@ 9223372036854775807", "expected an instant"},
        Garbled{"@ 60", "@60", "begins no line"}, Garbled{"@ 60", "@ 60 ", "' ' is too much"},
        Garbled{"@ 60", "@ 60\r", "is too much"}, Garbled{"@ 60", "", "'' begins no line"},
        Garbled{"@ 60", "%", "'%' begins no line"},
        Garbled{" 1 40 1000000 -3", " 1 40 1000000", "f.rec:4: expected its priority"},
        Garbled{" 1 40 1000000 -3", " 1 51 1000000 -3", "expected its arrival"},
        Garbled{" 1 40 1000000 -3", " 1 40 9000000000000000000 -3", "expected its deadline"},
        Garbled{" 1 40 1000000 -3", " 4294967296 40 1000000 -3", "expected an agreement"},
        Garbled{"a 18446744073709551615", "a 18446744073709551616", "expected a request"},
        Garbled{"f 7 3", "f 7 nan", "expected generation"},
        Garbled{"f 7 3", "f 7 3 1", "is too much"}, Garbled{"join {", "join [", "no valid JSON"},
        Garbled{"join {\"name\"", "join {\"game\"", "tenant.name: expected it to be there"},
        Garbled{"change 2 {", "change {", "expected an agreement"},
        Garbled{"policy \"sjf", "policy 1 \"sjf", "no valid JSON"},
        Garbled{"\"strikes\":3", "\"strikes\":0", "guard.strikes: expected a whole number from 1"},
        Garbled{"\"clock\":\"real\"", "\"clock\":\"sun\"", "expected one of charged, real"},
        Garbled{"\"clock\":\"real\"", "\"back\":0,\"clock\":\"real\"", "guard.back: expected"},
        Garbled{"strike slow-decision", "strike 1", "expected a cause such as 'slow-decision'"},
        Garbled{"strike slow-decision", "strike", "expected a cause"},
        Garbled{"fallback \"edf", "fallback 1 \"edf", "no valid JSON"},
        Garbled{"back \"sjf", "back sjf \"sjf", "no valid JSON"},
        Garbled{"reserve 1 12", "reserve 1", "expected its time"},
        Garbled{"> 0 1 0 0 5", "> 0 1 0 0 x", "expected a job"},
        Garbled{"> 0 1 0 0 5", "> 0 1 99999999999 0 5", "expected units"},
        Garbled{">> 1 3 1 0 2", ">> 1 3 1 0 2 -3", "expected a job"},
        Garbled{">drop 6 hopeless", ">drop 6 7 hopeless", "expected a reason"},
        Garbled{">drop 6 hopeless", ">drop hopeless", "expected a job"},
        Garbled{">resize 4 9 2", ">resize 4 2", "expected units"},
        Garbled{">drop 6 hopeless", ">drop 6 bored", "expected a reason"},
        Garbled{">wake 99", ">wake 9000000000000000000", "after the end of time"},
        Garbled{">wake 99", ">sleep 99", "'>sleep' begins no entry"},
        Garbled{"@ 60\n!", "@ 60\n?", "a second decision"},
        Garbled{"@ 60\n!", "@ 60\n!\n!", "nothing was decided"},
        Garbled{". 2", ". 3", "expected the number of decisions"},
        Garbled{"@ 60\n", ". 1\n@ 60\n", "more lines follow"}));

}  // namespace
}  // namespace fairlead
