// Walks over the implementations that oneDNN has for one description of a primitive.
#pragma once

#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fairlead/execution/onednn/instruction_cap.h"
#include "fairlead/execution/onednn/recipe.h"

namespace fairlead {

// The implementation of that name in a description made anew; null where it is not offered now.
template <typename Make>
auto FindImplementation(const Make& make, const std::string& name) {
  auto kept = std::make_shared<decltype(make())>(make());
  if (!*kept) return decltype(kept){};
  while (kept->impl_info_str() != name) {
    if (!kept->next_impl()) return decltype(kept){};
  }
  return kept;
}

// The described implementation, by its name. Some of oneDNN 2.6's descriptions point
// into the iterator that they were fetched from, so they cannot be kept without it: a call
// describes its primitive anew when the code is generated. `make` is copied, and owns what it uses.
template <typename Make>
PrimitiveCall CallOf(const Make& make, const dnnl::primitive_desc_base& description,
                     std::vector<PrimitiveCall::Argument> arguments) {
  const dnnl::memory::desc scratch = description.scratchpad_desc();
  if (scratch.get_size() > 0) arguments.push_back({DNNL_ARG_SCRATCHPAD, scratch, kScratchOperand});
  const std::string name = description.impl_info_str();
  const auto generate = [make, name]() -> MadePrimitive {
    using Description = decltype(make());
    if constexpr (requires(Description one) { one.next_impl(); }) {
      const auto kept = FindImplementation(make, name);
      if (kept == nullptr) {
        static thread_local std::string what;  // dnnl::error does not own its text
        what = "it does not offer " + name + " any more";
        throw dnnl::error(dnnl_unimplemented, what.c_str());
      }
      return {kept, dnnl::primitive(kept->get())};
    } else {
      const auto kept = std::make_shared<Description>(make());
      return {kept, dnnl::primitive(kept->get())};
    }
  };
  return {generate, std::move(arguments)};
}

// The first implementation; throws as oneDNN does where it refuses.
template <typename Make>
PrimitiveCall CallOf(const Make& make, std::vector<PrimitiveCall::Argument> arguments) {
  return CallOf(make, make(), std::move(arguments));
}

// Which implementations to look at.
struct ImplementationFilter {
  InstructionCap cap = InstructionCap::kNone;
  // oneDNN's reference loops, which are slower than anything by a factor of a hundred.
  bool with_reference = false;
  // Not beyond the first whose name begins so; empty: to the end.
  std::string_view last;
};

// Calls `visit(description, name)` for each; where oneDNN refuses there is none. What a second
// description does not offer again is left out: on an Intel machine of 16 cores that was so of an
// implementation of convolutions, and no code could be generated for it.
template <typename Make, typename Visit>
void ForEachImplementation(const ImplementationFilter& filter, const Make& make,
                           const Visit& visit) {
  try {
    auto description = make();
    if (!description) return;
    while (true) {
      const std::string name = description.impl_info_str();
      const bool reference = name.starts_with("ref");
      if ((!reference || filter.with_reference) && Permits(filter.cap, name) &&
          FindImplementation(make, name) != nullptr)
        visit(description, name);
      if (!filter.last.empty() && name.starts_with(filter.last)) return;
      if (!description.next_impl()) return;
    }
  } catch (const dnnl::error&) {  // refused
  }
}

}  // namespace fairlead
