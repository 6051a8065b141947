// Walks over the implementations that oneDNN has for one description of a primitive.
#pragma once

#include <oneapi/dnnl/dnnl.hpp>
#include <string>

#include "fairlead/execution/onednn/instruction_cap.h"

namespace fairlead {

// Calls `visit(primitive_desc, name)` for each; `make` makes the first, and may throw as oneDNN
// does for what it refuses: then there is none. Its reference loops are left out, which are slower
// than anything by a factor of a hundred, unless `with_reference`.
template <typename Make, typename Visit>
void ForEachImplementation(InstructionCap cap, bool with_reference, const Make& make,
                           const Visit& visit) {
  try {
    auto description = make();
    if (!description) return;
    do {
      const std::string name = description.impl_info_str();
      const bool reference = name.starts_with("ref");
      if ((reference && !with_reference) || !Permits(cap, name)) continue;
      visit(description, name);
    } while (description.next_impl());
  } catch (const dnnl::error&) {  // refused
  }
}

}  // namespace fairlead
