#include "fairlead/policies/version_choice.h"

#include <algorithm>
#include <limits>

namespace fairlead {

void VersionChoice::Prepare(const SystemView& view) {
  constexpr double kForEver = std::numeric_limits<double>::infinity();
  const CostTable& costs = view.costs();
  totals_.resize(view.networks().size());
  for (std::size_t n = 0; n < totals_.size(); ++n) {
    totals_[n].resize(costs.kinds());
    for (std::size_t k = 0; k < costs.kinds(); ++k) {
      const int versions = costs.Versions(NetworkId{n}, SegmentId{std::size_t{0}}, KindId{k});
      if (versions < 2) continue;  // nothing to choose
      totals_[n][k].resize(static_cast<std::size_t>(versions));
      for (int version = 0; version < versions; ++version) {
        for (int units = 1; units <= view.platform().kinds[k].units; ++units) {
          Total& total = totals_[n][k][static_cast<std::size_t>(version)].emplace_back();
          for (std::size_t s = 0; s < view.networks()[n].size(); ++s) {
            const SegmentCost* const cost =
                costs.Find(NetworkId{n}, SegmentId{s}, KindId{k}, {units, 1, version});
            total.alone += cost != nullptr ? Seconds(cost->latency) : kForEver;
            total.pressed += cost != nullptr ? Seconds(cost->Pressed()) : kForEver;
          }
        }
      }
    }
  }
}

void VersionChoice::Learn(const SystemView& view, const Assignment& done, double slowdown,
                          Duration memory) {
  const KindId kind = view.accelerators()[done.accelerator.index()].kind;
  const SegmentCost* const cost =
      view.costs().Find(done.network, done.segment, kind, done.configuration());
  if (cost == nullptr) return;
  const double alone = static_cast<double>(cost->latency.count());
  const double most = static_cast<double>(cost->Pressed().count()) - alone;
  if (most > 0)
    pressure_.Add(std::clamp((slowdown - 1) * alone / most, 0.0, 1.0), most,
                  static_cast<double>(memory.count()));
}

int VersionChoice::For(NetworkId network, KindId kind, int units) const {
  const auto& totals = totals_[network.index()][kind.index()];
  const double pressure = pressure_.Or(0);
  int best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t version = 0; version < totals.size(); ++version) {
    const Total& total = totals[version][static_cast<std::size_t>(units) - 1];
    const double time = total.alone + pressure * (total.pressed - total.alone);
    if (!(time < least)) continue;  // also where it takes for ever
    least = time;
    best = static_cast<int>(version);
  }
  return best;
}

}  // namespace fairlead
