// The policies that laws are held against.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include "fairlead/world/policy_registry.h"

namespace fairlead::testing {

// Every policy that needs no plan, with each value of each of its options once.
inline std::vector<std::string> PolicySpecs() {
  std::vector<std::string> specs;
  for (const PolicyEntry& policy : Policies()) {
    if (policy.needs.plan) continue;
    for (std::string& spec : SampleSpecs(policy)) specs.push_back(std::move(spec));
  }
  return specs;
}

// As the name of a test.
inline std::string TestName(std::string name) {
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

}  // namespace fairlead::testing
