// The Open Inference Protocol (KServe V2) over HTTP: which path asks for what of a service.
//
// With Triton's extensions for models' configuration, statistics and repository, and /metrics for
// Prometheus. What is not inference is answered at once; an inference is cancelled when its client
// goes away.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/serving/doorkeeper.h"
#include "fairlead/serving/http/administration.h"
#include "fairlead/serving/http/http_message.h"
#include "fairlead/serving/http/operations.h"
#include "fairlead/serving/inference.h"

namespace fairlead {

class ProtocolHandler final : public HttpHandler {
 public:
  // None is owned. Without an office there is below /fairlead/ what needs no store.
  ProtocolHandler(InferenceService& service, const Doorkeeper& door,
                  Administration* office = nullptr)
      : service_(service), door_(door), office_(office), operations_(service) {}

  std::function<void()> Handle(HttpRequest request, HttpReplyTo reply) override;

 private:
  struct Question;
  std::function<void()> Route(Question& question);
  std::function<void()> RouteNetwork(Question& question);
  std::function<void()> RouteRepository(Question& question);
  std::function<void()> RouteOffice(Question& question);
  std::function<void()> Infer(Question& question, const std::string& network);
  static HttpReply SharedMemory(const Question& question);
  HttpReply Ready() const;
  HttpReply NetworkReady(const std::string& network) const;
  HttpReply Index(const HttpRequest& request) const;
  HttpReply Statistics(const std::string& network) const;

  InferenceService& service_;
  const Doorkeeper& door_;
  Administration* const office_;
  Operations operations_;
};

// The parts of a path, percent signs resolved: "/v2/models/a%2Fb" is v2, models, a/b. None where
// they are wrong.
std::optional<std::vector<std::string>> PathParts(std::string_view path);

}  // namespace fairlead
