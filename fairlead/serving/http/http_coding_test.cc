#include "fairlead/serving/http/http_coding.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace fairlead {
namespace {

constexpr std::int64_t kMost = 1 << 20;

// As a client would send it.
HttpRequest Packed(std::string_view text, HttpCoding coding) {
  HttpReply reply;
  reply.body = text;
  PackBody({.coding = coding, .alone = true}, reply);
  EXPECT_LT(reply.body.size(), text.size());
  HttpRequest request{.method = "POST", .target = "/", .headers = reply.headers, .body = {}};
  request.body = reply.body;
  return request;
}

SharedBytes Bytes(std::size_t count) {
  const auto owner = std::make_shared<const std::vector<std::byte>>(count);
  return {.owner = owner, .bytes = *owner};
}

TEST(UnpackBodyTest, TakesBothCodings) {
  const std::string text(5000, 'x');
  for (const HttpCoding coding : {HttpCoding::kGzip, HttpCoding::kDeflate}) {
    HttpRequest request = Packed(text, coding);
    EXPECT_FALSE(UnpackBody(request, kMost).has_value());
    EXPECT_EQ(request.body, text);
  }
}

TEST(UnpackBodyTest, LeavesWhatIsNotPacked) {
  HttpRequest request{.method = "POST", .target = "/", .headers = {}, .body = "text"};
  EXPECT_FALSE(UnpackBody(request, 2).has_value());
  request.headers = {{"content-encoding", "Identity"}};
  EXPECT_FALSE(UnpackBody(request, 2).has_value());
  EXPECT_EQ(request.body, "text");
}

TEST(UnpackBodyTest, TakesSeveralPacksInARow) {
  HttpRequest request = Packed(std::string(2000, 'x'), HttpCoding::kGzip);
  request.body += request.body;
  EXPECT_FALSE(UnpackBody(request, kMost).has_value());
  EXPECT_EQ(request.body, std::string(4000, 'x'));
}

TEST(UnpackBodyTest, HoldsABombToTheLimit) {
  HttpRequest request = Packed(std::string(kMost + 1, '\0'), HttpCoding::kGzip);
  EXPECT_LT(request.body.size(), 10'000U);
  const auto refusal = UnpackBody(request, kMost);
  ASSERT_TRUE(refusal.has_value());
  EXPECT_EQ(refusal->status, 413);
}

TEST(UnpackBodyTest, RefusesWhatIsBroken) {
  const HttpRequest good = Packed(std::string(3000, 'y'), HttpCoding::kGzip);
  HttpRequest cut = good;
  cut.body.pop_back();
  HttpRequest longer = good;
  longer.body += "more";
  HttpRequest changed = good;
  changed.body[changed.body.size() - 6] ^= 1;  // of its checksum
  HttpRequest clear = good;
  clear.body = "{}";
  for (HttpRequest* const request : {&cut, &longer, &changed, &clear}) {
    const auto refusal = UnpackBody(*request, kMost);
    ASSERT_TRUE(refusal.has_value()) << request->body.size();
    EXPECT_EQ(refusal->status, 400);
  }
}

TEST(UnpackBodyTest, NamesWhatItTakes) {
  HttpRequest request{
      .method = "POST", .target = "/", .headers = {{"Content-Encoding", "br"}}, .body = "x"};
  const auto refusal = UnpackBody(request, kMost);
  ASSERT_TRUE(refusal.has_value());
  EXPECT_EQ(refusal->status, 415);
}

TEST(CodingOfTest, IsWhatTheClientLikesBest) {
  const auto coding = [](std::string_view header) { return CodingOf(header).coding; };
  EXPECT_EQ(coding(""), HttpCoding::kNone);
  EXPECT_EQ(coding("br, zstd"), HttpCoding::kNone);
  EXPECT_EQ(coding("identity"), HttpCoding::kNone);
  EXPECT_EQ(coding("gzip"), HttpCoding::kGzip);
  EXPECT_EQ(coding("deflate, GZip"), HttpCoding::kGzip);
  EXPECT_EQ(coding("gzip;q=0.5, deflate"), HttpCoding::kDeflate);
  EXPECT_EQ(coding("gzip;q=0, deflate;q=0.1"), HttpCoding::kDeflate);
  EXPECT_EQ(coding("gzip; q=0"), HttpCoding::kNone);
  EXPECT_EQ(coding(",,;q=;,"), HttpCoding::kNone);
  EXPECT_TRUE(CodingOf("gzip").alone);
  EXPECT_FALSE(CodingOf("gzip, deflate").alone);
  EXPECT_FALSE(CodingOf("identity").alone);
}

TEST(PackBodyTest, LeavesWhatIsSmall) {
  HttpReply reply;
  reply.body = "{}";
  PackBody({.coding = HttpCoding::kGzip, .alone = true}, reply);
  EXPECT_EQ(reply.body, "{}");
  EXPECT_TRUE(reply.headers.empty());
}

TEST(PackBodyTest, LeavesWhatDoesNotShrink) {
  HttpReply reply;
  for (std::uint32_t state = 1; reply.body.size() < 200'000;) {
    state = state * 1664525 + 1013904223;
    reply.body += static_cast<char>(state >> 24);
  }
  const std::string before = reply.body;
  PackBody({.coding = HttpCoding::kDeflate, .alone = true}, reply);
  EXPECT_EQ(reply.body, before);
  EXPECT_TRUE(reply.headers.empty());
}

TEST(PackBodyTest, PacksTensorsForWhoAsksForJustThat) {
  const auto reply = [](bool alone) {
    HttpReply made;
    made.body = "{}";
    made.tail = {Bytes(3000), Bytes(100'000)};
    PackBody({.coding = HttpCoding::kDeflate, .alone = alone}, made);
    return made;
  };
  EXPECT_EQ(reply(false).tail.size(), 2U);
  const HttpReply packed = reply(true);
  EXPECT_TRUE(packed.tail.empty());
  HttpRequest back{.method = "", .target = "", .headers = packed.headers, .body = packed.body};
  EXPECT_FALSE(UnpackBody(back, kMost).has_value());
  EXPECT_EQ(back.body, "{}" + std::string(103'000, '\0'));
}

}  // namespace
}  // namespace fairlead
