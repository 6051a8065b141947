#include "fairlead/serving/http/http_coding.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <new>
#include <string>
#include <utility>

namespace fairlead {
namespace {

constexpr int kWindow = 15;             // zlib's largest
constexpr int kAsGzip = 16;             // added to the window: gzip's format
constexpr int kEither = 32;             // likewise: whichever of both comes
constexpr std::size_t kWorthIt = 1024;  // bytes
constexpr std::size_t kPiece = std::size_t{64} << 10;
constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;  // zlib counts in 32 bits

bool IsName(std::string_view text, std::string_view name) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(text, name, {}, lower);
}

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

HttpCoding CodingNamed(std::string_view name) {
  if (IsName(name, "gzip") || IsName(name, "x-gzip")) return HttpCoding::kGzip;
  return IsName(name, "deflate") ? HttpCoding::kDeflate : HttpCoding::kNone;
}

Bytef* BytesOf(const char* text) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(text));  // zlib reads, and wants no const
}

// Both directions of zlib: a stream that is given pieces, and writes into a text.
class Stream {
 public:
  enum class Way : std::uint8_t { kPack, kUnpack };

  Stream(Way way, int window) : way_(way) {
    const int made = way == Way::kUnpack ? inflateInit2(&zlib_, window)
                                         : deflateInit2(&zlib_, Z_BEST_SPEED, Z_DEFLATED, window, 8,
                                                        Z_DEFAULT_STRATEGY);
    if (made != Z_OK) throw std::bad_alloc();
  }
  ~Stream() {
    if (way_ == Way::kUnpack) {
      inflateEnd(&zlib_);
    } else {
      deflateEnd(&zlib_);
    }
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  void Give(std::string_view piece) {
    zlib_.next_in = BytesOf(piece.data());
    zlib_.avail_in = static_cast<uInt>(piece.size());
  }
  std::size_t left() const { return zlib_.avail_in; }

  // Appends up to a piece; zlib's answer.
  int Step(int flush, std::string& out) {
    std::array<char, kPiece> piece;
    zlib_.next_out = BytesOf(piece.data());
    zlib_.avail_out = kPiece;
    const int answer = way_ == Way::kUnpack ? inflate(&zlib_, flush) : deflate(&zlib_, flush);
    if (answer == Z_MEM_ERROR) throw std::bad_alloc();
    out.append(piece.data(), kPiece - zlib_.avail_out);
    return answer;
  }
  bool filled() const { return zlib_.avail_out == 0; }
  void BeginAnew() { inflateReset(&zlib_); }

 private:
  const Way way_;
  z_stream zlib_{};
};

// What honest bodies reach: a black picture of a megabyte, and then a hundredfold.
constexpr std::size_t kAnyRatio = std::size_t{1} << 20;  // bytes that may come of nearly nothing
constexpr std::size_t kMostRatio = 100;

enum class Unpacked : std::uint8_t { kWhole, kTooLarge, kBroken, kNoMemory };

// All of `packed`; several packs in a row are one body, as gzip has it.
Unpacked Unpack(std::string_view packed, std::size_t most, MemoryBudget::Share* share,
                std::string& out) {
  const std::size_t whole = packed.size();
  Stream stream(Stream::Way::kUnpack, kWindow + kEither);
  int answer = Z_OK;
  while (true) {
    if (stream.left() == 0) {
      const std::string_view piece = packed.substr(0, kMostAtOnce);
      packed.remove_prefix(piece.size());
      stream.Give(piece);
    }
    if (answer == Z_STREAM_END) {
      if (stream.left() == 0) return Unpacked::kWhole;
      stream.BeginAnew();
    }
    if (out.capacity() - out.size() < kPiece) {
      const std::size_t next = std::max(2 * out.capacity(), out.size() + kPiece);
      if (share != nullptr && !share->Hold(MemoryFor(static_cast<std::int64_t>(whole + next))))
        return Unpacked::kNoMemory;
      out.reserve(next);
    }
    answer = stream.Step(Z_NO_FLUSH, out);
    if (out.size() > most) return Unpacked::kTooLarge;
    // Without a byte that it could go on with: the body ends too early.
    if (answer != Z_OK && answer != Z_STREAM_END) return Unpacked::kBroken;
  }
}

// "gzip;q=0.5": the number, in thousandths; one that cannot be read is 1.
int Liking(std::string_view parameters) {
  const std::size_t at = parameters.find("q=");
  double liking = 1;
  if (at != std::string_view::npos)
    std::from_chars(parameters.data() + at + 2, parameters.data() + parameters.size(), liking);
  return static_cast<int>(1000 * std::clamp(liking, 0.0, 1.0));
}

}  // namespace

std::optional<HttpReply> UnpackBody(HttpRequest& request, std::int64_t most,
                                    MemoryBudget::Share* share) {
  const std::string_view coding = Trimmed(request.Header("Content-Encoding"));
  if (coding.empty() || IsName(coding, "identity") || request.body.empty()) return std::nullopt;
  if (CodingNamed(coding) == HttpCoding::kNone) {
    HttpReply refusal = HttpError(415, "encoding", "bodies may be compressed with gzip or deflate");
    refusal.headers.push_back({"Accept-Encoding", "gzip, deflate"});
    return refusal;
  }
  std::string body;
  const std::size_t allowed =
      std::min(static_cast<std::size_t>(most), kAnyRatio + kMostRatio * request.body.size());
  switch (Unpack(request.body, allowed, share, body)) {
    case Unpacked::kTooLarge:
      return HttpError(413, "too-large",
                       fmt::format("the body, unpacked, is larger than {} bytes", allowed));
    case Unpacked::kNoMemory:
      return HttpError(503, "no-memory", "there is no memory to unpack this body");
    case Unpacked::kBroken:
      return HttpError(400, "malformed", "the body is not what its Content-Encoding says");
    case Unpacked::kWhole: break;
  }
  request.body = std::move(body);
  return std::nullopt;
}

AcceptedCoding CodingOf(std::string_view accept_encoding) {
  AcceptedCoding accepted;
  int best = 0;
  int named = 0;
  while (!accept_encoding.empty()) {
    const std::string_view entry = accept_encoding.substr(0, accept_encoding.find(','));
    accept_encoding.remove_prefix(std::min(entry.size() + 1, accept_encoding.size()));
    const std::size_t semicolon = std::min(entry.find(';'), entry.size());
    const std::string_view name = Trimmed(entry.substr(0, semicolon));
    const int liking = Liking(entry.substr(semicolon));
    if (name.empty() || liking == 0) continue;
    ++named;
    const HttpCoding coding = CodingNamed(name);
    // gzip before deflate, whose name has meant two formats.
    if (coding == HttpCoding::kNone || liking < best ||
        (liking == best && coding == HttpCoding::kDeflate))
      continue;
    best = liking;
    accepted.coding = coding;
  }
  accepted.alone = named == 1 && accepted.coding != HttpCoding::kNone;
  return accepted;
}

void PackBody(const AcceptedCoding& accepted, HttpReply& reply) {
  if (accepted.coding == HttpCoding::kNone || (!reply.tail.empty() && !accepted.alone)) return;
  std::size_t size = reply.body.size();
  for (const SharedBytes& piece : reply.tail) size += piece.bytes.size();
  if (size < kWorthIt) return;
  const bool gzip = accepted.coding == HttpCoding::kGzip;
  Stream stream(Stream::Way::kPack, gzip ? kWindow + kAsGzip : kWindow);
  std::string packed;
  const auto add = [&](std::string_view bytes, int flush) {
    do {
      stream.Give(bytes.substr(0, kMostAtOnce));
      bytes.remove_prefix(std::min(bytes.size(), kMostAtOnce));
      do {
        stream.Step(flush, packed);
      } while (stream.filled() && packed.size() < size);
    } while (!bytes.empty() && packed.size() < size);
  };
  add(reply.body, Z_NO_FLUSH);
  for (const SharedBytes& piece : reply.tail)
    add({reinterpret_cast<const char*>(piece.bytes.data()), piece.bytes.size()}, Z_NO_FLUSH);
  add({}, Z_FINISH);
  if (packed.size() >= size) return;
  reply.body = std::move(packed);
  reply.tail.clear();
  reply.headers.push_back({"Content-Encoding", gzip ? "gzip" : "deflate"});
  reply.headers.push_back({"Vary", "Accept-Encoding"});
}

}  // namespace fairlead
