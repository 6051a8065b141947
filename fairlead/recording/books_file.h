// The books of a run as a file: what agreements were promised and got so far, for another run, or
// another machine, to go on from.
//
// JSON, an agreement a line, by the names of its tenant and its network:
//
//   {"fairlead": "0.1.0", "agreements": [
//   {"tenant": "ada", "network": "resnet50", "history": {...}},
//   ...]}
//
// docs/reference/formats.md explains the keys of a history. Numbers come back as they were, to the
// last bit.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/fairness/agreement_history.h"
#include "fairlead/scheduling/system_view.h"

namespace fairlead {

struct KeptAgreement {
  std::string tenant;
  std::string network;
  AgreementHistory history;

  friend bool operator==(const KeptAgreement&, const KeptAgreement&) = default;
};

// Those of the open agreements, of which no request is under way, by name.
std::vector<KeptAgreement> BooksOf(const SystemState& state);

std::string FormatBooks(std::span<const KeptAgreement> books);
// `file` is for messages. Each agreement stands there once.
Result<std::vector<KeptAgreement>> ParseBooks(std::string_view file, const std::string& text);

}  // namespace fairlead
