#include "fairlead/serving/http/load_order.h"

#include <cstdint>
#include <utility>

#include "fairlead/serving/json_reader.h"
#include "fairlead/serving/network_files.h"

namespace fairlead {
namespace {

int Base64Digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  if (c == '/') return 63;
  return -1;
}

Status TakeParameters(JsonReader& reader, NetworkFiles& files) {
  std::string key;
  for (reader.EnterObject(); reader.NextKey(key);) {
    std::string text;
    if (key == "config") {
      if (!reader.TakeText(text)) break;
      RETURN_IF_ERROR(files.AddConfiguration(text));
    } else if (key.starts_with("file:")) {
      if (!reader.TakeText(text)) break;
      std::optional<std::string> bytes = DecodeBase64(text);
      if (!bytes.has_value()) return Fail("parameter '{}' is not base64", key.substr(0, 80));
      RETURN_IF_ERROR(files.AddFile(key, std::move(*bytes)));
    } else {
      return Fail("unknown parameter '{}'; known are 'config' and 'file:1/model.onnx'",
                  key.substr(0, 80));
    }
  }
  return {};
}

}  // namespace

std::optional<std::string> DecodeBase64(std::string_view text) {
  for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
  if (text.size() % 4 == 1) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const int digit = Base64Digit(c);
    if (digit < 0) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xFFU);
  }
  return bytes;
}

Result<NetworkOrder> DecodeOrder(std::string network, std::string_view body) {
  NetworkFiles files;
  if (!body.empty()) {
    JsonReader reader(body);
    std::string key;
    for (reader.EnterObject(); reader.NextKey(key);) {
      if (key == "parameters" && reader.Next() != JsonReader::Kind::kNull) {
        RETURN_IF_ERROR(TakeParameters(reader, files));
      } else {
        reader.Skip();
      }
    }
    if (!reader.Finish()) return Fail("{}", reader.status().error().message);
  }
  return std::move(files).Order(std::move(network));
}

}  // namespace fairlead
