// The Open Inference Protocol (KServe V2) over HTTP: which path asks for what of a service.
//
// With Triton's extensions for models' configuration, statistics and repository, and /metrics for
// Prometheus. What is not inference is answered at once; an inference is cancelled when its client
// goes away.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fairlead/serving/doorkeeper.h"
#include "fairlead/serving/http/administration.h"
#include "fairlead/serving/http/http_message.h"
#include "fairlead/serving/http/metrics.h"
#include "fairlead/serving/http/operations.h"
#include "fairlead/serving/inference.h"

namespace fairlead {

class ProtocolHandler final : public HttpHandler {
 public:
  // None is owned. Without an office there is below /fairlead/ what needs no store. `names` are the
  // hosts by which operators may call the server, beside addresses and localhost; `doors`, if any,
  // adds to the metrics.
  ProtocolHandler(InferenceService& service, const Doorkeeper& door,
                  Administration* office = nullptr, std::vector<std::string> names = {},
                  std::function<DoorMetrics()> doors = {})
      : service_(service),
        door_(door),
        office_(office),
        names_(std::move(names)),
        doors_(std::move(doors)),
        operations_(service) {}

  HttpAdmission Admit(HttpRequest& head) override;
  std::function<void()> Handle(HttpRequest request, HttpReplyTo reply) override;

 private:
  struct Question;
  // Who calls; none: the refusal has been made.
  std::optional<Caller> CallerOf(const HttpRequest& request, HttpReply& refusal) const;
  std::optional<TenantId> TenantOf(const Caller& caller, HttpReply& refusal) const;
  std::optional<HttpReply> Foreign(const HttpRequest& request) const;
  std::function<void()> Route(Question& question);
  std::function<void()> RouteNetwork(Question& question);
  std::function<void()> RouteRepository(Question& question);
  std::function<void()> RouteOffice(Question& question);
  std::function<void()> Infer(Question& question, const std::string& network);
  static HttpReply SharedMemory(const Question& question);
  HttpReply Ready() const;
  HttpReply NetworkReady(const std::string& network) const;
  HttpReply Index(const Question& question) const;
  HttpReply Statistics(const Question& question, const std::string& network) const;

  InferenceService& service_;
  const Doorkeeper& door_;
  Administration* const office_;
  const std::vector<std::string> names_;
  const std::function<DoorMetrics()> doors_;
  Operations operations_;
};

// The parts of a path, percent signs resolved: "/v2/models/a%2Fb" is v2, models, a/b. None where
// they are wrong.
std::optional<std::vector<std::string>> PathParts(std::string_view path);

}  // namespace fairlead
