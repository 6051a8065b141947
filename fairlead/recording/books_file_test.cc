#include "fairlead/recording/books_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fairlead/recording/testing/sample_recording.h"

namespace fairlead {
namespace {

using ::testing::HasSubstr;

std::vector<KeptAgreement> Sample() {
  return {{"ada", "resnet50", FullHistory()}, {"new\nline", "yolo-v3", {}}};
}

std::string Changed(const std::string& from, const std::string& to) {
  std::string text = FormatBooks(Sample());
  const std::size_t place = text.find(from);
  EXPECT_NE(place, std::string::npos) << text;
  return text.replace(place, from.size(), to);
}

std::string WrongWith(const std::string& text) {
  const auto books = ParseBooks("b.json", text);
  return books.has_value() ? "" : books.error().message;
}

TEST(BooksFile, ComesBackAsItWas) {
  const auto books = ParseBooks("b.json", FormatBooks(Sample()));
  ASSERT_TRUE(books.has_value()) << books.error().message;
  EXPECT_EQ(*books, Sample());
}

TEST(BooksFile, MayBeEmpty) { EXPECT_EQ(ParseBooks("b.json", FormatBooks({}))->size(), 0U); }

TEST(BooksFile, SaysWhereItIsWrong) {
  EXPECT_THAT(WrongWith("{"), HasSubstr("b.json: no valid JSON"));
  EXPECT_THAT(WrongWith(R"({"fairlead": "1"})"), HasSubstr("'agreements'"));
  EXPECT_THAT(WrongWith(Changed("\"hit\":5", "\"hit\":-5")),
              HasSubstr("agreements[0].history.lifetime.hit: expected a whole number"));
  EXPECT_THAT(WrongWith(Changed("\"hit\":5", "\"hit\":1")),
              HasSubstr("agreements[0].history: 'measured' exceeds 'lifetime'"));
  EXPECT_THAT(WrongWith(Changed("\"watched\":\"hff\"", "\"seen\":\"hff\"")),
              HasSubstr("agreements[0].history.watched"));
  EXPECT_THAT(WrongWith(Changed("\"tokens\"", "\"more\":1,\"tokens\"")),
              HasSubstr("agreements[0].history.bucket.more: unknown key"));
}

TEST(BooksFile, NamesEachAgreementOnce) {
  std::vector<KeptAgreement> twice = Sample();
  twice.push_back(twice.front());
  EXPECT_THAT(WrongWith(FormatBooks(twice)),
              HasSubstr("agreements[2]: 'ada' with network 'resnet50' stands there twice"));
}

}  // namespace
}  // namespace fairlead
