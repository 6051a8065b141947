// What a client sends over HTTP, byte for byte: read as the server reads it, in pieces, and given
// to the protocol before a service that returns what it gets. Each request that is read has one
// reply, and an error says what is wrong.

#include <optional>
#include <string>
#include <utility>

#include "fairlead/base/check.h"
#include "fairlead/serving/http/http_coding.h"
#include "fairlead/serving/http/http_parser.h"
#include "fairlead/serving/http/protocol.h"
#include "fairlead/serving/testing/fake_service.h"
#include "tests/fuzz/fuzz_input.h"

namespace fairlead {
namespace {

constexpr std::size_t kPiece = 61;
constexpr std::size_t kMostBody = 64 << 10;

void CheckReply(const HttpReply& reply) {
  CHECK(reply.status >= 200 && reply.status < 600);
  CHECK(!HttpHead(reply, AfterReply::kKeepAlive).empty());
  if (reply.status == 200) return;
  CHECK(reply.body.starts_with(R"({"error":")"));
  CHECK(std::ranges::find(reply.headers, kReasonHeader, &HttpHeader::name) != reply.headers.end());
}

void Handle(HttpRequest request) {
  if (const auto refusal = UnpackBody(request, kMostBody)) return CheckReply(*refusal);
  CHECK(request.body.size() <= kMostBody);
  FakeService service;
  const AnonymousDoor door("ada");
  ProtocolHandler handler(service, door);
  int replies = 0;
  handler.Handle(std::move(request), [&](const HttpMaker& maker) {
    ++replies;
    CheckReply(maker());
  });
  CHECK(replies == 1);
}

// The next request of the bytes, which are taken away; none where they are wrong or end.
std::optional<HttpRequest> Read(std::string_view& bytes) {
  HttpParser parser;
  parser.LimitHeader(4 << 10);
  parser.body_limit(kMostBody);
  parser.eager(true);
  MemoryBudget memory(std::int64_t{1} << 20);
  MemoryBudget::Share share = memory.Open({"ada", "here"});
  parser.TakeBody(kMostBody, &share);
  std::size_t held = 0;  // that the parser has seen and not taken
  while (!parser.is_done()) {
    const std::size_t size = std::min(bytes.size(), held + kPiece);
    if (size == held) return std::nullopt;
    boost::beast::error_code code;
    const std::size_t used = parser.put(boost::asio::const_buffer(bytes.data(), size), code);
    CHECK(used <= size);
    bytes.remove_prefix(used);
    held = size - used;
    if (code && code != boost::beast::http::error::need_more) return std::nullopt;
  }
  if (!parser.HasOneHost()) return std::nullopt;
  return parser.TakeRequest();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(TextOf(data, size));
  std::string_view bytes = text;
  while (auto request = Read(bytes)) Handle(std::move(*request));
  return 0;
}

}  // namespace fairlead
