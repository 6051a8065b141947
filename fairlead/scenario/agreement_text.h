// The terms of an agreement in texts: in scenarios, on the command line, over the wire and in a
// server's store. All of them read the table of domain/agreement_terms.h.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/domain/tenant.h"
#include "fairlead/scenario/yaml_reader.h"

namespace fairlead {

// Terms as a text states them.
struct StatedTerms {
  ServiceAgreement promise;          // without tenant and network
  std::set<std::string_view> given;  // the keys that the text has

  bool Has(std::string_view key) const { return given.contains(key); }
  // The terms that are given, in place of those of the agreement.
  void Change(ServiceAgreement& agreement) const;
};

enum class TermsOf : std::uint8_t {
  kScenario,  // a group of tenants, or an agreement beside a requests file
  kChange,    // of a scenario
  kServer,    // an agreement that its operator adds
};

// The keys that a text may have.
std::vector<std::string_view> TermKeys(TermsOf whose);
// `others`, and the keys of terms.
std::vector<std::string_view> WithTermKeys(std::vector<std::string_view> others, TermsOf whose);

// Reads the terms that the map has, except for `skipped`. Terms that do not go together are an
// error, but not in a change: it is added to what was promised before.
Status ReadTerms(const ConfigMap& map, TermsOf whose, StatedTerms& terms,
                 std::string_view skipped = {});
// The terms of a server's agreement, as YAML or JSON: {"deadline": "50ms", "target": "95%"}. A
// deadline is needed. Complaints name the place as "terms:line:column".
Result<StatedTerms> ParseTerms(const std::string& text);

// Requests per second: 12/s.
Result<double> ReadRequestRate(const ConfigNode& node);

}  // namespace fairlead
