#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "fairlead/base/units.h"
#include "fairlead/scenario/scenario_sections.h"
#include "fairlead/scenario/serve_config.h"

namespace fairlead {
namespace {

// 64MB, 16kB: as bandwidths, without the time.
Status ReadBytes(const ConfigMap& map, std::string_view key, std::int64_t least, std::int64_t most,
                 std::int64_t& out) {
  const auto node = map.Find(key);
  if (!node.has_value()) return {};
  ASSIGN_OR_RETURN(const std::string text, node->Text());
  const auto bytes = ParseBandwidth(text + "/s");
  if (!bytes.has_value() || *bytes < least || *bytes > most)
    return node->Wrong(fmt::format("'{}' is no size from {}B to {}B; expected for example 16MB",
                                   text, least, most));
  out = *bytes;
  return {};
}

Status ReadTime(const ConfigMap& map, std::string_view key, Duration& out) {
  const auto node = map.Find(key);
  if (!node.has_value()) return {};
  ASSIGN_OR_RETURN(out, node->AsDuration());
  if (out < std::chrono::milliseconds{1} || out > std::chrono::hours{24})
    return node->Wrong("expected a time from 1ms to 24h");
  return {};
}

Status ReadLimits(const ConfigNode& node, ServeLimits& limits) {
  ASSIGN_OR_RETURN(const ConfigMap map,
                   ConfigMap::Open(node, {"body", "header", "connections", "per_address",
                                          "header_time", "body_time", "idle_time", "write_time"}));
  RETURN_IF_ERROR(ReadBytes(map, "body", 1, std::int64_t{1} << 40, limits.body));
  RETURN_IF_ERROR(ReadBytes(map, "header", 256, 1 << 20, limits.header));
  RETURN_IF_ERROR(map.ReadInteger("connections", limits.connections, 1, 1'000'000));
  limits.per_address = std::min(limits.per_address, limits.connections);
  RETURN_IF_ERROR(map.ReadInteger("per_address", limits.per_address, 1, limits.connections));
  RETURN_IF_ERROR(ReadTime(map, "header_time", limits.header_time));
  RETURN_IF_ERROR(ReadTime(map, "body_time", limits.body_time));
  RETURN_IF_ERROR(ReadTime(map, "idle_time", limits.idle_time));
  return ReadTime(map, "write_time", limits.write_time);
}

// recordings: FOLDER, or {folder: FOLDER, keep: 1GB, piece: 16MB, span: 10min}
Status ReadRecordings(const ConfigNode& node, ServeRecordings& recordings) {
  if (!node.IsMap()) {
    ASSIGN_OR_RETURN(recordings.folder, node.Text());
    return {};
  }
  ASSIGN_OR_RETURN(const ConfigMap map, ConfigMap::Open(node, {"folder", "keep", "piece", "span"}));
  RETURN_IF_ERROR(map.Require("folder"));
  RETURN_IF_ERROR(map.ReadText("folder", recordings.folder));
  constexpr std::int64_t kLeast = 1'000'000;
  RETURN_IF_ERROR(ReadBytes(map, "keep", kLeast, std::int64_t{1} << 50, recordings.keep));
  RETURN_IF_ERROR(ReadBytes(map, "piece", 1000, std::int64_t{1} << 50, recordings.piece));
  RETURN_IF_ERROR(ReadTime(map, "span", recordings.span));
  if (recordings.piece > recordings.keep / 4)
    return node.Wrong("'piece' is more than a quarter of 'keep': there would be too few pieces");
  return {};
}

// 8000, 0.0.0.0:8000, [::1]:8000
Status ReadAddress(const ConfigNode& node, ServeAddress& address) {
  ASSIGN_OR_RETURN(const std::string text, node.Text());
  const std::size_t colon = text.rfind(':');
  const std::string port = colon == std::string::npos ? text : text.substr(colon + 1);
  const auto number = ParseInteger(port);
  if (!number.has_value() || *number < 0 || *number > 65535)
    return node.Wrong(
        fmt::format("'{}' names no port; expected for example 8000 or 0.0.0.0:8000", text));
  address.port = static_cast<int>(*number);
  if (colon == std::string::npos) return {};
  address.host = text.substr(0, colon);
  if (address.host.starts_with('[') && address.host.ends_with(']'))
    address.host = address.host.substr(1, address.host.size() - 2);
  if (address.host.empty()) return node.Wrong("an address stands before the colon");
  return {};
}

Status ReadAnonymous(const ConfigNode& node, ServeConfig& serve) {
  ASSIGN_OR_RETURN(const std::string text, node.Text());
  serve.anonymous_place = node.Place();
  serve.anonymous = text != "false";
  if (text != "true" && text != "false") serve.anonymous_tenant = text;
  return {};
}

// public: anonymous
Status ReadPublic(const ConfigNode& node, ServeConfig& serve) {
  ASSIGN_OR_RETURN(const std::string text, node.Text());
  if (text != "anonymous") return node.Wrong("expected 'anonymous'");
  serve.public_anonymous = true;
  return {};
}

bool IsOfThisMachine(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

// Anonymous callers are operators: not everybody in a network should be one by oversight.
Status CheckReach(const ConfigNode& node, const ServeConfig& serve) {
  if (!serve.anonymous || serve.public_anonymous) return {};
  const bool here =
      IsOfThisMachine(serve.http.host) && (!serve.grpc || IsOfThisMachine(serve.grpc->host));
  if (here) return {};
  return node.Wrong(
      "others reach this address, and 'anonymous' makes each of them an operator; give a 'store' "
      "with keys, or say 'public: anonymous' as well");
}

}  // namespace

// serve: {http: 8000, anonymous: true, store: fairlead.db}
Result<ServeConfig> ReadServe(const ConfigNode& node) {
  ASSIGN_OR_RETURN(const ConfigMap map,
                   ConfigMap::Open(node, {"http", "grpc", "threads", "tls", "anonymous", "public",
                                          "names", "memory", "store", "flush", "drain", "limits",
                                          "models", "recordings"}));
  ServeConfig serve;
  if (const auto http = map.Find("http"); http.has_value())
    RETURN_IF_ERROR(ReadAddress(*http, serve.http));
  if (const auto grpc = map.Find("grpc"); grpc.has_value())
    RETURN_IF_ERROR(ReadAddress(*grpc, serve.grpc.emplace()));
  RETURN_IF_ERROR(map.ReadInteger("threads", serve.threads, 1, 256));
  if (const auto tls = map.Find("tls"); tls.has_value()) {
    ASSIGN_OR_RETURN(const ConfigMap files, ConfigMap::Open(*tls, {"certificate", "key"}));
    RETURN_IF_ERROR(files.Require("certificate"));
    RETURN_IF_ERROR(files.Require("key"));
    RETURN_IF_ERROR(files.ReadText("certificate", serve.certificate));
    RETURN_IF_ERROR(files.ReadText("key", serve.key));
  }
  if (const auto anonymous = map.Find("anonymous"); anonymous.has_value())
    RETURN_IF_ERROR(ReadAnonymous(*anonymous, serve));
  if (const auto open = map.Find("public"); open.has_value())
    RETURN_IF_ERROR(ReadPublic(*open, serve));
  RETURN_IF_ERROR(CheckReach(node, serve));
  RETURN_IF_ERROR(map.ReadTexts("names", serve.names));
  RETURN_IF_ERROR(
      ReadBytes(map, "memory", std::int64_t{16} << 20, std::int64_t{1} << 50, serve.memory));
  RETURN_IF_ERROR(map.ReadText("store", serve.store));
  if (!serve.anonymous && serve.store.empty())
    return node.Wrong("who may call? give 'anonymous: true', or a 'store' with tenants' keys");
  RETURN_IF_ERROR(map.ReadText("models", serve.models));
  RETURN_IF_ERROR(ReadTime(map, "flush", serve.flush));
  RETURN_IF_ERROR(ReadTime(map, "drain", serve.drain));
  if (const auto limits = map.Find("limits"); limits.has_value())
    RETURN_IF_ERROR(ReadLimits(*limits, serve.limits));
  if (const auto recordings = map.Find("recordings"); recordings.has_value())
    RETURN_IF_ERROR(ReadRecordings(*recordings, serve.recordings));
  return serve;
}

}  // namespace fairlead
