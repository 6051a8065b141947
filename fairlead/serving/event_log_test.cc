#include "fairlead/serving/event_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <string>

namespace fairlead {
namespace {

using testing::HasSubstr;

std::string Logged(std::int64_t time, const std::function<void(EventLog&)>& act) {
  std::string text;
  {
    EventLog log(
        LogLevel::kInfo, [=] { return time; }, [&](std::string_view more) { text += more; });
    act(log);
  }
  return text;
}

TEST(EventLog, WritesALineForEachEvent) {
  EXPECT_EQ(Logged(1'709'210'096'789'000'000,
                   [](EventLog& log) {
                     log.Write(LogLevel::kInfo, "tenant-joined",
                               {{"tenant", "a\"\\\n\xc3\xa4"}, {"weight", 2.5}, {"id", 7}});
                     log.Write(LogLevel::kError, "ended", {{"well", false}});
                   }),
            "{\"time\":\"2024-02-29T12:34:56.789Z\",\"level\":\"info\",\"event\":\"tenant-joined\","
            "\"tenant\":\"a\\\"\\\\\\u000a\xc3\xa4\",\"weight\":2.5,\"id\":7}\n"
            "{\"time\":\"2024-02-29T12:34:56.789Z\",\"level\":\"error\",\"event\":\"ended\","
            "\"well\":false}\n");
}

TEST(EventLog, KnowsTheCalendar) {
  const auto at = [](std::int64_t seconds) {
    return Logged(seconds * 1'000'000'000, [](EventLog& log) { log.Write(LogLevel::kInfo, "e"); });
  };
  EXPECT_THAT(at(0), HasSubstr("1970-01-01T00:00:00.000Z"));
  EXPECT_THAT(at(951'782'400), HasSubstr("2000-02-29T00:00:00"));
  EXPECT_THAT(at(4'107'542'399), HasSubstr("2100-02-28T23:59:59"));
  EXPECT_THAT(at(4'107'542'400), HasSubstr("2100-03-01T00:00:00"));
}

TEST(EventLog, LeavesOutWhatIsBelowItsLevel) {
  EXPECT_EQ(Logged(0, [](EventLog& log) { log.Write(LogLevel::kDebug, "request"); }), "");
  EXPECT_EQ(FindLogLevel("warning"), LogLevel::kWarning);
  EXPECT_EQ(FindLogLevel("loud"), std::nullopt);
}

TEST(EventLog, CountsWhatItCannotTake) {
  std::promise<void> go;
  auto wait = go.get_future().share();
  std::string text;
  {
    EventLog log(
        LogLevel::kInfo, [] { return 0; },
        [&](std::string_view lines) {
          wait.wait();  // the disk is slow
          text += lines;
        });
    const std::string long_text(1 << 20, 'x');
    for (int i = 0; i < 20; ++i) log.Write(LogLevel::kInfo, "e", {{"text", long_text}});
    go.set_value();
  }
  EXPECT_LT(text.size(), 12U << 20);
  EXPECT_THAT(text.substr(text.size() - 100),
              HasSubstr("\"event\":\"log-lines-lost\",\"lines\":1"));
}

}  // namespace
}  // namespace fairlead
