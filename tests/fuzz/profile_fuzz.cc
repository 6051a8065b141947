// Profiles: reading, writing and reading again gives the same profile, and every profile that is
// accepted can be tabled and cut into blocks, by itself too, without any sum overflowing.

#include <algorithm>

#include "fairlead/base/check.h"
#include "fairlead/costs/auto_segments.h"
#include "fairlead/costs/profile.h"
#include "fairlead/costs/segmentation.h"
#include "tests/fuzz/fuzz_input.h"

namespace fairlead {
namespace {

Platform PlatformFor(const Profile& profile) {
  Platform platform;
  for (std::size_t k = 0; k < profile.kinds.size(); ++k) {
    int units = 1;
    for (const CostRow& row : profile.rows) {
      if (row.kind == KindId{k}) units = std::max(units, row.configuration.units);
    }
    platform.AddKind(profile.kinds[k], 1 + static_cast<int>(k % 2), units);
  }
  return platform;
}

void Table(const Profile& profile) {
  const Platform platform = PlatformFor(profile);
  CHECK(CheckRunnable(profile, platform).has_value());
  const CostTable costs = MakeCostTable(profile, platform);
  for (std::size_t n = 0; n < profile.networks.size(); ++n) {
    for (std::size_t s = 0; s < profile.networks[n].size(); ++s)
      CHECK(costs.ShortestTail(NetworkId{n}, SegmentId{s}) <= costs.FastestTotal(NetworkId{n}));
  }
  const CostTable believed =
      costs.Perturbed(profile.networks, platform, {.bias = 100, .noise = 5}, 1);
  for (std::size_t n = 0; n < profile.networks.size(); ++n)
    CHECK(believed.FastestTotal(NetworkId{n}) >= Duration::zero());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto profile = ParseProfile("fuzz.csv", TextOf(data, size));
  if (!profile.has_value()) {
    CHECK(profile.error().message.starts_with("fuzz.csv:"));
    return 0;
  }
  const std::string text = FormatProfile(*profile);
  const auto again = ParseProfile("again.csv", text);
  CHECK_MSG(again.has_value(), again.error().message);
  CHECK(FormatProfile(*again) == text);
  CHECK(again->kinds == profile->kinds && again->networks.size() == profile->networks.size());

  Table(*profile);
  Table(OneAfterAnother(*profile));
  std::vector<KindId> kinds;
  for (std::size_t k = 0; k < profile->kinds.size(); ++k) kinds.emplace_back(k);
  std::vector<SegmentBounds> bounds;
  for (AutoCut& cut : CutNetworks(*profile, kinds, {.longest = Duration{1000}}))
    bounds.push_back(std::move(cut.bounds));
  const auto cut = Segmented(*profile, bounds);
  CHECK_MSG(cut.has_value(), cut.error().message);
  Table(*cut);
  for (const Granularity granularity : {Granularity::Blocks(2), Granularity::Whole()}) {
    const auto segmented = Segmented(*profile, granularity);
    if (segmented.has_value()) Table(*segmented);
  }
  return 0;
}

}  // namespace fairlead
