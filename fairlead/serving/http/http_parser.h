// Beast's parser of requests, filling in ours. Of the room alone.
#pragma once

#include <algorithm>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "fairlead/serving/http/http_message.h"
#include "fairlead/serving/memory_budget.h"

namespace fairlead {

class HttpParser final : public boost::beast::http::basic_parser<true> {
 public:
  HttpRequest TakeRequest() { return std::move(request_); }
  HttpRequest& request() { return request_; }
  const HttpRequest& request() const { return request_; }
  bool HasOneHost() const { return hosts_ == 1 || version_ < 11; }
  int version() const { return version_; }
  // Of all lines of the header together: Beast's own limit is for what it has not taken yet.
  void LimitHeader(std::uint32_t bytes) {
    header_limit(bytes);
    header_left_ = bytes;
  }
  // The body is read, up to so many bytes, and paid for by the share as it comes; without a share
  // it is read past.
  void TakeBody(std::int64_t most, MemoryBudget::Share* share) {
    share_ = share;
    most_ = static_cast<std::size_t>(most);
    if (const auto length = content_length(); length.has_value() && share != nullptr)
      request_.body.reserve(*length);
  }

 private:
  using Text = boost::beast::string_view;
  using Code = boost::beast::error_code;

  void on_request_impl(boost::beast::http::verb, Text method, Text target, int version,
                       Code&) override {
    request_.method.assign(method.data(), method.size());
    request_.target = PathOf({target.data(), target.size()});
    version_ = version;
  }
  void on_response_impl(int, Text, int, Code&) override {}
  void on_field_impl(boost::beast::http::field field, Text name, Text value, Code& code) override {
    namespace http = boost::beast::http;
    const std::size_t size = name.size() + value.size() + 4;
    if (size > header_left_) {
      code = http::error::header_limit;
      return;
    }
    header_left_ -= static_cast<std::uint32_t>(size);
    if (is_header_done()) return;  // behind a chunked body: nobody waits for these
    if (field == http::field::host) ++hosts_;
    if (field == http::field::transfer_encoding &&
        (version_ < 11 || !boost::beast::iequals(value, "chunked")))
      code = http::error::bad_transfer_encoding;
    request_.headers.push_back(
        {std::string(name.data(), name.size()), std::string(value.data(), value.size())});
  }
  void on_header_impl(Code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, Code&) override {}
  std::size_t on_body_impl(Text bytes, Code& code) override {
    namespace http = boost::beast::http;
    if (share_ == nullptr) return bytes.size();
    const std::size_t size = request_.body.size() + bytes.size();
    if (size > most_) {
      code = http::error::body_limit;
      return 0;
    }
    if (size > request_.body.capacity()) {  // nobody said how long it is
      const std::size_t next = std::max(size, 2 * request_.body.capacity());
      if (!share_->Hold(MemoryFor(static_cast<std::int64_t>(next)))) {
        code = http::error::buffer_overflow;
        return 0;
      }
      request_.body.reserve(next);
    }
    request_.body.append(bytes.data(), bytes.size());
    return bytes.size();
  }
  void on_chunk_header_impl(std::uint64_t, Text, Code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, Text bytes, Code& code) override {
    return on_body_impl(bytes, code);
  }
  void on_finish_impl(Code&) override {}

  // Of http://host/path, which servers must understand, the path.
  static std::string PathOf(std::string_view target) {
    const std::size_t scheme = target.find("://");
    if (target.starts_with('/') || scheme == std::string_view::npos) return std::string(target);
    const std::size_t path = target.find('/', scheme + 3);
    return path == std::string_view::npos ? "/" : std::string(target.substr(path));
  }

  HttpRequest request_;
  MemoryBudget::Share* share_ = nullptr;
  std::size_t most_ = 0;
  std::uint32_t header_left_ = UINT32_MAX;
  int version_ = 11;
  int hosts_ = 0;
};

}  // namespace fairlead
