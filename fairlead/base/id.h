// Identifiers that cannot be mixed up: a dense index with a type of its own.
//
// Names are resolved to ids once, when a world is built; while it runs, ids index vectors.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace fairlead {

template <typename Tag>
struct Id {
  std::uint32_t value = UINT32_MAX;

  constexpr Id() = default;
  constexpr explicit Id(std::size_t index) : value(static_cast<std::uint32_t>(index)) {}

  constexpr bool valid() const { return value != UINT32_MAX; }
  constexpr std::size_t index() const { return value; }
  friend constexpr auto operator<=>(Id, Id) = default;
};

using TenantId = Id<struct TenantTag>;
using AgreementId = Id<struct AgreementTag>;
using NetworkId = Id<struct NetworkTag>;
using SegmentId = Id<struct SegmentTag>;  // within its network
using AcceleratorId = Id<struct AcceleratorTag>;
using KindId = Id<struct KindTag>;  // a kind of accelerator
using JobId = Id<struct JobTag>;    // a slot, reused after the job's end

}  // namespace fairlead

template <typename Tag>
struct std::hash<fairlead::Id<Tag>> {
  std::size_t operator()(fairlead::Id<Tag> id) const noexcept { return id.value; }
};
