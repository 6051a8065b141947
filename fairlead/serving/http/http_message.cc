#include "fairlead/serving/http/http_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <memory>
#include <utility>

#include "fairlead/serving/utf8.h"

namespace fairlead {
namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string_view StatusText(int status) {
  switch (status) {
    case 200: return "OK";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 413: return "Payload Too Large";
    case 415: return "Unsupported Media Type";
    case 417: return "Expectation Failed";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 499: return "Client Closed Request";
    case 501: return "Not Implemented";
    case 503: return "Service Unavailable";
    case 504: return "Gateway Timeout";
    default: return status < 500 ? "Error" : "Internal Server Error";
  }
}

}  // namespace

std::string_view HttpRequest::Header(std::string_view name) const {
  const auto found = std::ranges::find_if(headers, [name](const HttpHeader& header) {
    return std::ranges::equal(header.name, name, {}, Lower, Lower);
  });
  return found == headers.end() ? std::string_view() : std::string_view(found->value);
}

std::string_view HttpRequest::Path() const {
  return std::string_view(target).substr(0, target.find('?'));
}

std::string HttpDate(std::int64_t unix_seconds) {
  constexpr std::array<std::string_view, 7> kDays = {"Sun", "Mon", "Tue", "Wed",
                                                     "Thu", "Fri", "Sat"};
  constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::chrono::sys_seconds at{std::chrono::seconds{unix_seconds}};
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss time{at - day};
  return fmt::format(
      "{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT", kDays[std::chrono::weekday{day}.c_encoding()],
      static_cast<unsigned>(date.day()), kMonths[static_cast<unsigned>(date.month()) - 1],
      static_cast<int>(date.year()), time.hours().count(), time.minutes().count(),
      time.seconds().count());
}

std::string HttpHead(const HttpReply& reply, AfterReply after, std::string_view date) {
  std::size_t length = reply.body.size();
  for (const SharedBytes& piece : reply.tail) length += piece.bytes.size();
  std::string head;
  head.reserve(256);
  auto out = std::back_inserter(head);
  fmt::format_to(out, "HTTP/1.1 {} {}\r\n", reply.status, StatusText(reply.status));
  if (!date.empty()) fmt::format_to(out, "Date: {}\r\n", date);
  if (length > 0) fmt::format_to(out, "Content-Type: {}\r\n", reply.content_type);
  fmt::format_to(out, "Content-Length: {}\r\n", length);
  for (const HttpHeader& header : reply.headers)
    fmt::format_to(out, "{}: {}\r\n", header.name, header.value);
  if (after == AfterReply::kClose) head += "Connection: close\r\n";
  if (after == AfterReply::kKeepAliveAloud) head += "Connection: keep-alive\r\n";
  head += "\r\n";
  return head;
}

HttpReply HttpError(int status, std::string_view reason, std::string_view message) {
  HttpReply reply{.status = status};
  reply.headers.push_back({std::string(kReasonHeader), std::string(reason)});
  reply.body = fmt::format(R"({{"error":{}}})", JsonText(message));
  return reply;
}

HttpMaker Made(HttpReply reply) {
  const auto kept = std::make_shared<HttpReply>(std::move(reply));
  return [kept] { return std::move(*kept); };
}

std::string JsonText(std::string_view text) {
  std::string json = "\"";
  while (!text.empty()) {
    const std::size_t length = Utf8Length(text);
    const char c = text.front();
    if (length == 0) {
      json += '?';
    } else if (c == '"' || c == '\\') {
      json += '\\';
      json += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      json += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      json += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return json += '"';
}

}  // namespace fairlead
