#include "fairlead/serving/http/protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <optional>
#include <utility>

#include "fairlead/serving/http/infer_codec.h"
#include "fairlead/serving/http/load_order.h"
#include "fairlead/serving/http/metrics.h"
#include "fairlead/serving/http/protocol_json.h"
#include "fairlead/serving/json_reader.h"
#include "fairlead/serving/refusal_texts.h"
#include "fairlead/serving/visible_networks.h"

namespace fairlead {
namespace {

HttpReply Json(std::string body) {
  HttpReply reply;
  reply.body = std::move(body);
  return reply;
}

HttpReply NoSuchPath() { return HttpError(404, "no-path", "there is nothing at this path"); }

HttpReply NoNetwork(std::string_view network) {
  return HttpError(404, ToString(InferenceCode::kNoNetwork), UnknownNetwork(network));
}

HttpReply NoVersion(std::string_view network, std::string_view version) {
  return HttpError(404, ToString(InferenceCode::kNoNetwork), UnknownVersion(network, version));
}

// One that is known, and not loaded, says as little of itself as one that is not known.
HttpReply NotLoaded(const NetworkInfo& network) {
  return HttpError(404, ToString(InferenceCode::kNoNetwork),
                   NotReady(network.name, network.reason));
}

HttpReply Unidentified(std::string_view message) {
  HttpReply reply = HttpError(401, "no-identity", message);
  reply.headers.push_back({"WWW-Authenticate", "Bearer"});
  return reply;
}

constexpr std::int64_t kShortBody = 64 << 10;  // of all but inferences and files

bool IsOpen(const std::vector<std::string>& path) {
  const auto is = [&](std::initializer_list<std::string_view> parts) {
    return std::ranges::equal(path, parts);
  };
  return is({"v2"}) || is({"v2", "health", "live"}) || is({"v2", "health", "ready"});
}

bool IsInfer(const std::vector<std::string>& path) {
  return path.size() >= 4 && path[0] == "v2" && path[1] == "models" && path.back() == "infer";
}

// What operators alone may ask for.
bool IsForOperators(const std::vector<std::string>& path) {
  if (path.empty()) return false;
  const bool change = path.size() == 5 && path[0] == "v2" && path[1] == "repository";
  return path[0] == "fairlead" || path[0] == "metrics" || change;
}

// "[::1]:8000", "name:80": without the port.
std::string_view HostOf(std::string_view authority) {
  if (authority.starts_with('[')) return authority.substr(0, authority.find(']') + 1);
  return authority.substr(0, authority.find(':'));
}

bool IsAddress(std::string_view host) {
  if (host.starts_with('[') && host.ends_with(']')) return true;
  const auto of_digits = [](char c) { return (c >= '0' && c <= '9') || c == '.'; };
  return !host.empty() && std::ranges::all_of(host, of_digits);
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// What an answer needs beside itself.
struct AwaitedAnswer {
  InferRequest request;
  std::string network;
  InferenceAnswer answer;
};

HttpReply Encode(const AwaitedAnswer& awaited) {
  if (awaited.answer.code != InferenceCode::kOk) return EncodeFailure(awaited.answer);
  auto reply = EncodeInfer(awaited.request, awaited.network, awaited.answer);
  if (!reply.has_value()) return HttpError(500, "no-json", reply.error().message);
  return std::move(*reply);
}

// A body of which nothing is heeded: an object, or nothing.
Status CheckObject(std::string_view body) {
  if (body.empty()) return {};
  JsonReader reader(body);
  std::string key;
  for (reader.EnterObject(); reader.NextKey(key);) reader.Skip();
  reader.Finish();
  return reader.status();
}

}  // namespace

std::optional<std::vector<std::string>> PathParts(std::string_view path) {
  std::vector<std::string> parts;
  if (!path.starts_with('/')) return std::nullopt;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] == '/') {
      parts.emplace_back();
    } else if (path[i] != '%') {
      parts.back() += path[i];
    } else {
      if (i + 2 >= path.size()) return std::nullopt;
      const int high = HexDigit(path[i + 1]);
      const int low = HexDigit(path[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      parts.back() += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  if (parts.size() > 1 && parts.back().empty()) parts.pop_back();  // "/v2/"
  return parts;
}

struct ProtocolHandler::Question {
  HttpRequest request;
  HttpReplyTo reply;
  std::vector<std::string> path;
  Caller caller;

  std::function<void()> Answer(HttpReply answer) const {
    reply(Made(std::move(answer)));
    return {};
  }
  bool Asks(std::string_view method) const {
    return request.method == method || (method == "GET" && request.method == "HEAD");
  }
  // The reply to who asks in another way.
  std::optional<HttpReply> WrongMethod(std::string_view method) const {
    if (Asks(method)) return std::nullopt;
    HttpReply refusal = HttpError(405, "method", fmt::format("this path is for {}", method));
    refusal.headers.push_back({"Allow", std::string(method)});
    return refusal;
  }
  std::optional<HttpReply> NotAnOperator() const {
    if (caller.is_operator) return std::nullopt;
    return HttpError(403, "not-operator", "this is for operators");
  }
};

std::optional<Caller> ProtocolHandler::CallerOf(const HttpRequest& request,
                                                HttpReply& refusal) const {
  if (request.caller.has_value()) return request.caller;
  if (!door_.is_open()) {
    refusal = Ready();
    return std::nullopt;
  }
  auto caller = door_.Identify({.authorization = request.Header(kAuthorizationHeader),
                                .key = request.Header(kKeyHeader),
                                .tenant = request.Header(kTenantHeader)});
  if (caller.has_value()) return std::move(*caller);
  refusal = Unidentified(caller.error().message);
  return std::nullopt;
}

std::optional<TenantId> ProtocolHandler::TenantOf(const Caller& caller, HttpReply& refusal) const {
  const auto tenant = service_.FindTenant(caller.tenant);
  if (tenant.has_value()) return tenant;
  refusal =
      caller.tenant.empty()
          ? Unidentified("a credential of a tenant is needed")
          : HttpError(403, "no-tenant", fmt::format("there is no tenant '{}'", caller.tenant));
  return std::nullopt;
}

// A page of another site, or another name of this machine, in an operator's browser.
std::optional<HttpReply> ProtocolHandler::Foreign(const HttpRequest& request) const {
  const std::string_view host = request.Header("Host");
  const std::string_view name = HostOf(host);
  const bool ours = host.empty() || IsAddress(name) || name == "localhost" ||
                    std::ranges::find(names_, name) != names_.end();
  const std::string_view origin = request.Header("Origin");
  if (ours && (origin.empty() || origin == fmt::format("http://{}", host) ||
               origin == fmt::format("https://{}", host)))
    return std::nullopt;
  return HttpError(403, "foreign",
                   "operators call by an address, localhost or a name in 'names', and not from "
                   "pages of other sites");
}

// Nothing of a body is read for those who may not send it.
HttpAdmission ProtocolHandler::Admit(HttpRequest& head) {
  const auto refuse = [](HttpReply refusal) {
    return HttpAdmission{.refusal = std::move(refusal), .body = 0};
  };
  const auto path = PathParts(head.Path());
  if (!path.has_value()) return refuse(NoSuchPath());
  if (IsOpen(*path)) return {.body = kShortBody, .reserved = true};
  HttpReply refusal;
  head.caller = CallerOf(head, refusal);
  if (!head.caller.has_value()) return refuse(std::move(refusal));
  const Caller& caller = *head.caller;
  if (IsForOperators(*path)) {
    if (auto foreign = Foreign(head)) return refuse(std::move(*foreign));
  }
  HttpAdmission admission{
      .body = kShortBody, .tenant = caller.tenant, .reserved = caller.is_operator};
  const bool load = IsForOperators(*path) && path->back() == "load";
  if (load && caller.is_operator) admission.body = INT64_MAX;
  if (!IsInfer(*path) || head.method != "POST") return admission;
  admission.body = INT64_MAX;
  admission.reserved = false;
  const auto tenant = TenantOf(caller, refusal);
  if (!tenant.has_value()) return refuse(std::move(refusal));
  if (const auto early = service_.RefuseEarly(*tenant, (*path)[2])) {
    admission.refusal = EncodeFailure(*early);
  }
  return admission;
}

std::function<void()> ProtocolHandler::Handle(HttpRequest request, HttpReplyTo reply) {
  Question question{std::move(request), std::move(reply), {}, {}};
  auto path = PathParts(question.request.Path());
  if (!path.has_value()) return question.Answer(NoSuchPath());
  question.path = std::move(*path);
  return Route(question);
}

std::function<void()> ProtocolHandler::Route(Question& question) {
  const std::vector<std::string>& path = question.path;
  const auto is = [&](std::initializer_list<std::string_view> parts) {
    return std::ranges::equal(path, parts);
  };
  // Who only looks whether we are there needs no name.
  if (IsOpen(path)) {
    if (const auto wrong = question.WrongMethod("GET")) return question.Answer(*wrong);
    if (is({"v2"})) return question.Answer(Json(ServerJson()));
    if (is({"v2", "health", "live"})) return question.Answer(Json(R"({"live":true})"));
    return question.Answer(Ready());
  }
  HttpReply unknown;
  auto caller = CallerOf(question.request, unknown);
  if (!caller.has_value()) return question.Answer(std::move(unknown));
  question.caller = std::move(*caller);
  if (is({"metrics"})) {
    if (const auto wrong = question.WrongMethod("GET")) return question.Answer(*wrong);
    if (const auto refusal = question.NotAnOperator()) return question.Answer(*refusal);
    HttpReply metrics{.content_type = std::string(kMetricsType)};
    metrics.body = MetricsText(service_);
    if (doors_) metrics.body += DoorMetricsText(doors_());
    return question.Answer(std::move(metrics));
  }
  if (path.size() >= 3 && path[0] == "v2" && path[1] == "models") return RouteNetwork(question);
  if (path.size() >= 3 && path[0] == "v2" && path[1] == "repository")
    return RouteRepository(question);
  if (path.size() >= 3 && path[0] == "v2" && path[1].ends_with("sharedmemory"))
    return question.Answer(SharedMemory(question));
  if (path[0] == "fairlead") return RouteOffice(question);
  return question.Answer(NoSuchPath());
}

// v2/systemsharedmemory[/region/NAME]/status, register, unregister; v2/cudasharedmemory likewise.
// There is none: clients that look, or let go of all, find it so.
HttpReply ProtocolHandler::SharedMemory(const Question& question) {
  const std::vector<std::string>& path = question.path;
  const bool one = path.size() == 5 && path[2] == "region";
  if ((path[1] != "systemsharedmemory" && path[1] != "cudasharedmemory") ||
      (path.size() != 3 && !one))
    return NoSuchPath();
  const std::string& verb = path.back();
  if (verb != "status" && verb != "unregister" && verb != "register") return NoSuchPath();
  if (auto wrong = question.WrongMethod(verb == "status" ? "GET" : "POST")) return *wrong;
  if (verb == "unregister") return Json("{}");
  if (verb == "status" && !one) return Json("[]");
  return HttpError(400, "no-shared-memory", "shared memory is not supported");
}

std::function<void()> ProtocolHandler::RouteOffice(Question& question) {
  if (const auto refusal = question.NotAnOperator()) return question.Answer(*refusal);
  question.path.erase(question.path.begin());
  const bool operations = Operations::Has(question.path);
  if (!operations && office_ == nullptr)
    return question.Answer(HttpError(404, "no-store", "the server has no store of tenants"));
  Administration& who = operations ? static_cast<Administration&>(operations_) : *office_;
  who.Handle(std::move(question.request), std::move(question.path), std::move(question.reply));
  return {};
}

// v2/models/NAME[/versions/1][/VERB]
std::function<void()> ProtocolHandler::RouteNetwork(Question& question) {
  const std::vector<std::string>& path = question.path;
  const std::string network = path[2];
  std::size_t next = 3;
  if (path.size() > 4 && path[3] == "versions") {
    if (path[4] != "1") return question.Answer(NoVersion(network, path[4]));
    next = 5;
  }
  if (path.size() > next + 1) return question.Answer(NoSuchPath());
  const std::string verb = next < path.size() ? path[next] : "";
  if (verb == "infer") {
    if (const auto wrong = question.WrongMethod("POST")) return question.Answer(*wrong);
    return Infer(question, network);
  }
  if (!verb.empty() && verb != "ready" && verb != "config" && verb != "stats")
    return question.Answer(NoSuchPath());
  if (const auto wrong = question.WrongMethod("GET")) return question.Answer(*wrong);
  if (network == "stats" && path.size() == 3) return question.Answer(Statistics(question, ""));
  const auto info = service_.FindNetwork(network);
  if (!info.has_value() || !MaySee(service_, question.caller, network))
    return question.Answer(NoNetwork(network));
  if (verb == "ready") return question.Answer(NetworkReady(network));
  if (!info->ready) return question.Answer(NotLoaded(*info));
  if (verb == "config") return question.Answer(Json(NetworkConfigJson(*info)));
  if (verb == "stats") return question.Answer(Statistics(question, network));
  return question.Answer(Json(NetworkJson(*info)));
}

// v2/repository/index, v2/repository/models/NAME/load
std::function<void()> ProtocolHandler::RouteRepository(Question& question) {
  const std::vector<std::string>& path = question.path;
  const bool change =
      path.size() == 5 && path[2] == "models" && (path[4] == "load" || path[4] == "unload");
  if (!change && !(path.size() == 3 && path[2] == "index")) return question.Answer(NoSuchPath());
  if (const auto wrong = question.WrongMethod("POST")) return question.Answer(*wrong);
  if (!change) return question.Answer(Index(question));
  if (const auto refusal = question.NotAnOperator()) return question.Answer(*refusal);
  const std::string& network = path[3];
  const auto done = [reply = question.reply](const Status& status) {
    reply(Made(status.has_value() ? Json("{}")
                                  : HttpError(400, "not-changed", status.error().message)));
  };
  if (path[4] == "unload") {
    if (const Status read = CheckObject(question.request.body); !read.has_value())
      return question.Answer(HttpError(400, "malformed", read.error().message));
    if (!service_.FindNetwork(network).has_value()) return question.Answer(NoNetwork(network));
    service_.UnloadNetwork(network, done);
    return {};
  }
  auto order = DecodeOrder(network, question.request.body);
  if (!order.has_value())
    return question.Answer(
        HttpError(400, "malformed", FailedToLoad(network, order.error().message)));
  if (!order->file.has_value() && !service_.CanLoad(network))
    return question.Answer(HttpError(404, ToString(InferenceCode::kNoNetwork),
                                     FailedToLoad(network, "there is none of this name")));
  service_.LoadNetwork(std::move(*order), [done, network](const Status& status) {
    if (status.has_value()) return done(status);
    done(Fail("{}", FailedToLoad(network, status.error().message)));
  });
  return {};
}

HttpReply ProtocolHandler::Ready() const {
  const ServiceState state = service_.state();
  switch (door_.is_open() || state != ServiceState::kReady ? state : ServiceState::kStarting) {
    case ServiceState::kReady: return Json(R"({"ready":true})");
    case ServiceState::kStarting: return HttpError(503, "starting", "the server is starting");
    case ServiceState::kDraining: return HttpError(503, "draining", "the server is draining");
    case ServiceState::kStopped: break;
  }
  return HttpError(503, "stopped", "the server has stopped");
}

HttpReply ProtocolHandler::NetworkReady(const std::string& network) const {
  if (service_.state() != ServiceState::kReady) return Ready();
  if (!service_.NetworkReady(network))  // the protocol wants a 4xx here
    return HttpError(404, "not-ready", fmt::format("network '{}' is not ready", network));
  return Json(fmt::format(R"({{"name":{},"ready":true}})", JsonText(network)));
}

// The body may say that only those are meant that are ready.
HttpReply ProtocolHandler::Index(const Question& question) const {
  const HttpRequest& request = question.request;
  bool ready_only = false;
  if (!request.body.empty()) {
    JsonReader reader(request.body);
    std::string key;
    for (reader.EnterObject(); reader.NextKey(key);) {
      if (key == "ready" && reader.Next() != JsonReader::Kind::kNull) {
        reader.TakeBool(ready_only);
      } else {
        reader.Skip();
      }
    }
    if (!reader.Finish()) return HttpError(400, "malformed", reader.status().error().message);
  }
  std::vector<NetworkInfo> networks = VisibleNetworks(service_, question.caller);
  if (question.caller.is_operator) {
    for (std::string& name : service_.Loadable())
      networks.push_back({.name = std::move(name), .reason = "it has not been loaded"});
  }
  return Json(IndexJson(networks, ready_only));
}

HttpReply ProtocolHandler::Statistics(const Question& question, const std::string& network) const {
  std::string json;
  for (const NetworkInfo& info : VisibleNetworks(service_, question.caller)) {
    if (!network.empty() && info.name != network) continue;
    json += (json.empty() ? "" : ",") + StatisticsJson(info, service_.StatisticsOf(info.id));
  }
  return Json(fmt::format(R"({{"model_stats":[{}]}})", json));
}

std::function<void()> ProtocolHandler::Infer(Question& question, const std::string& network) {
  HttpReply stranger;
  const auto tenant = TenantOf(question.caller, stranger);
  if (!tenant.has_value()) return question.Answer(std::move(stranger));
  const std::string_view length = question.request.Header(kHeaderLength);
  const bool raw = length == "0";
  const auto info = raw ? service_.FindNetwork(network) : std::nullopt;
  if (raw && !info.has_value()) return question.Answer(NoNetwork(network));
  auto request =
      DecodeInfer(std::make_shared<const std::string>(std::move(question.request.body)),
                  length.empty() ? std::nullopt : std::optional(length),
                  raw ? std::span<const TensorInfo>(info->inputs) : std::span<const TensorInfo>());
  if (!request.has_value())
    return question.Answer(
        HttpError(400, ToString(InferenceCode::kMalformed), request.error().message));

  InferenceCall call{.tenant = *tenant,
                     .network = network,
                     .inputs = std::move(request->inputs),
                     .outputs = {},
                     .timeout = request->timeout,
                     .priority = request->priority,
                     .received = question.request.received};
  for (const WantedOutput& output : request->outputs) {
    call.outputs.push_back(output.name);
    if (output.classes == 0) continue;
    const auto known = service_.FindNetwork(network);
    request->stacked = known.has_value() && MostBatch(*known) > 0;
  }
  const auto awaited = std::make_shared<AwaitedAnswer>();
  awaited->request = std::move(*request);
  awaited->network = network;
  const Ticket ticket = service_.Submit(
      std::move(call), [awaited, reply = std::move(question.reply)](InferenceAnswer answer) {
        awaited->answer = std::move(answer);
        reply([awaited] { return Encode(*awaited); });
      });
  if (ticket == 0) return {};
  return [this, ticket] { service_.Cancel(ticket); };
}

}  // namespace fairlead
