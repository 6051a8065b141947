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

namespace fairlead {

class HttpParser final : public boost::beast::http::basic_parser<true> {
 public:
  HttpRequest TakeRequest() { return std::move(request_); }
  const HttpRequest& request() const { return request_; }
  bool HasOneHost() const { return hosts_ == 1 || version_ < 11; }
  int version() const { return version_; }
  // Of all lines of the header together: Beast's own limit is for what it has not taken yet.
  void LimitHeader(std::uint32_t bytes) {
    header_limit(bytes);
    header_left_ = bytes;
  }

 private:
  using Text = boost::beast::string_view;
  using Code = boost::beast::error_code;

  static constexpr std::uint64_t kReserved = 1 << 20;  // bytes before any has come

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
    if (field == http::field::transfer_encoding && !boost::beast::iequals(value, "chunked"))
      code = http::error::bad_transfer_encoding;
    request_.headers.push_back(
        {std::string(name.data(), name.size()), std::string(value.data(), value.size())});
  }
  void on_header_impl(Code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>& length, Code&) override {
    if (length.has_value()) request_.body.reserve(std::min(*length, kReserved));
  }
  std::size_t on_body_impl(Text bytes, Code&) override {
    request_.body.append(bytes.data(), bytes.size());
    return bytes.size();
  }
  void on_chunk_header_impl(std::uint64_t, Text, Code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, Text bytes, Code&) override {
    request_.body.append(bytes.data(), bytes.size());
    return bytes.size();
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
  std::uint32_t header_left_ = UINT32_MAX;
  int version_ = 11;
  int hosts_ = 0;
};

}  // namespace fairlead
