// What operators may change of a server while it runs, beside tenants and agreements: nothing of it
// is kept in a store. A server that starts again begins with its scenario.
#pragma once

#include <string>
#include <vector>

#include "fairlead/serving/http/administration.h"
#include "fairlead/serving/inference.h"

namespace fairlead {

// Over the wire:
//   GET /fairlead/accelerators    PUT /fairlead/accelerators/NAME with {"online": false}
//   GET /fairlead/policy          PUT /fairlead/policy with {"policy": "edf-h:drop=early"}
// Each change is an input like those of clients: checked, recorded, and answered when it is done.
class Operations final : public Administration {
 public:
  explicit Operations(InferenceService& service) : service_(service) {}

  // Whether it is one of these that a path asks for.
  static bool Has(const std::vector<std::string>& path);

  void Handle(HttpRequest request, std::vector<std::string> path, HttpReplyTo reply) override;

 private:
  void HandleAccelerators(const HttpRequest& request, const std::vector<std::string>& path,
                          HttpReplyTo reply);
  void HandlePolicy(const HttpRequest& request, HttpReplyTo reply);
  void Change(ClientChange change, HttpReplyTo reply);

  InferenceService& service_;
};

}  // namespace fairlead
