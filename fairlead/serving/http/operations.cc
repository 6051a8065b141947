#include "fairlead/serving/http/operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "fairlead/serving/json_reader.h"

namespace fairlead {
namespace {

HttpReply Told(std::string body) {
  HttpReply reply;
  reply.body = std::move(body);
  return reply;
}

HttpReply NotThere(std::string_view message) { return HttpError(404, "no-path", message); }

HttpReply For(std::string_view method) {
  HttpReply reply = HttpError(405, "method", fmt::format("this path is for {}", method));
  reply.headers.push_back({"Allow", std::string(method)});
  return reply;
}

std::string AcceleratorJson(const AcceleratorReport& accelerator) {
  return fmt::format(R"({{"name":{},"kind":{},"online":{}}})", JsonText(accelerator.name),
                     JsonText(accelerator.kind), accelerator.online);
}

// An object with this one member, which `take` takes.
template <typename Take>
Status ReadOne(std::string_view body, std::string_view name, Take take) {
  JsonReader reader(body);
  std::string key;
  bool found = false;
  for (reader.EnterObject(); reader.NextKey(key);) {
    if (key != name) {
      reader.Wrong(fmt::format("unknown key '{}'; expected {}", key.substr(0, 80), name));
      break;
    }
    found = take(reader);
  }
  reader.Finish();
  RETURN_IF_ERROR(reader.status());
  if (!found) return Fail("'{}' is missing", name);
  return {};
}

}  // namespace

bool Operations::Has(const std::vector<std::string>& path) {
  if (path.empty()) return false;
  return path[0] == "policy" || path[0] == "accelerators";
}

void Operations::Handle(HttpRequest request, std::vector<std::string> path, HttpReplyTo reply) {
  if (path[0] == "accelerators") return HandleAccelerators(request, path, std::move(reply));
  if (path.size() > 1) return reply(Made(NotThere("there is nothing at this path")));
  HandlePolicy(request, std::move(reply));
}

void Operations::HandleAccelerators(const HttpRequest& request,
                                    const std::vector<std::string>& path, HttpReplyTo reply) {
  const std::vector<AcceleratorReport> all = service_.Report().accelerators;
  if (path.size() == 1) {
    if (request.method != "GET") return reply(Made(For("GET")));
    std::string json;
    for (const AcceleratorReport& one : all) {
      if (!json.empty()) json += ',';
      json += AcceleratorJson(one);
    }
    return reply(Made(Told("[" + json + "]")));
  }
  if (path.size() > 2) return reply(Made(NotThere("there is nothing at this path")));
  if (request.method != "PUT") return reply(Made(For("PUT")));
  const auto found = std::ranges::find(all, path[1], &AcceleratorReport::name);
  if (found == all.end())
    return reply(Made(NotThere(fmt::format("there is no accelerator '{}'", path[1]))));
  bool online = true;
  const Status read =
      ReadOne(request.body, "online", [&](JsonReader& reader) { return reader.TakeBool(online); });
  if (!read.has_value()) return reply(Made(HttpError(400, "malformed", read.error().message)));
  if (online == found->online) return reply(Made(Told("{}")));
  const AcceleratorId id(static_cast<std::size_t>(found - all.begin()));
  if (online) return Change(AcceleratorReturn{id}, std::move(reply));
  Change(AcceleratorLoss{id}, std::move(reply));
}

void Operations::HandlePolicy(const HttpRequest& request, HttpReplyTo reply) {
  if (request.method == "GET")
    return reply(Made(Told(fmt::format(R"({{"policy":{}}})", JsonText(service_.Report().policy)))));
  if (request.method != "PUT") return reply(Made(For("GET, PUT")));
  PolicyChange change;
  const Status read = ReadOne(request.body, "policy",
                              [&](JsonReader& reader) { return reader.TakeText(change.policy); });
  if (!read.has_value()) return reply(Made(HttpError(400, "malformed", read.error().message)));
  Change(std::move(change), std::move(reply));
}

void Operations::Change(ClientChange change, HttpReplyTo reply) {
  service_.Change(std::move(change), [reply = std::move(reply)](const InputAnswer& answer) {
    reply(Made(answer.has_value() ? Told("{}")
                                  : HttpError(400, "not-changed", answer.error().message)));
  });
}

}  // namespace fairlead
