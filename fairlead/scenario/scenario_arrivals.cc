#include <algorithm>
#include <array>
#include <initializer_list>

#include "fairlead/base/units.h"
#include "fairlead/scenario/scenario_sections.h"

namespace fairlead {

Result<ArrivalOptions> ReadArrivals(const ConfigNode& node) {
  ASSIGN_OR_RETURN(const ConfigMap map,
                   ConfigMap::Open(node, {"process", "shape", "busy", "quiet", "ratio", "jitter"}));
  ASSIGN_OR_RETURN(const ConfigNode process_node, map.Require("process"));
  ASSIGN_OR_RETURN(const std::string process, process_node.Text());
  const auto refuse_others = [&](std::initializer_list<std::string_view> own) -> Status {
    for (std::string_view key : {"shape", "busy", "quiet", "ratio", "jitter"}) {
      const auto other = map.Find(key);
      if (other.has_value() && std::ranges::find(own, key) == own.end())
        return FailAt(other->Place(), "{} arrivals have no '{}'", process, key);
    }
    return {};
  };
  ArrivalOptions options;
  const Duration unset{1};  // load or rate sets it, and CheckArrivals follows then
  if (process == "pareto") {
    RETURN_IF_ERROR(refuse_others({"shape"}));
    ParetoArrivals pareto{.mean_gap = unset};
    RETURN_IF_ERROR(map.ReadNumber("shape", pareto.shape, 1.01, 100));
    options = pareto;
  } else if (process == "poisson") {
    RETURN_IF_ERROR(refuse_others({}));
    options = PoissonArrivals{.mean_gap = unset};
  } else if (process == "bursty") {
    RETURN_IF_ERROR(refuse_others({"busy", "quiet", "ratio"}));
    BurstyArrivals bursty{.mean_gap = unset,
                          .mean_busy = std::chrono::milliseconds{100},
                          .mean_quiet = std::chrono::milliseconds{900}};
    RETURN_IF_ERROR(map.ReadDuration("busy", bursty.mean_busy));
    RETURN_IF_ERROR(map.ReadDuration("quiet", bursty.mean_quiet));
    RETURN_IF_ERROR(map.ReadNumber("ratio", bursty.rate_ratio, 1, 1e6));
    options = bursty;
  } else if (process == "periodic") {
    RETURN_IF_ERROR(refuse_others({"jitter"}));
    PeriodicArrivals periodic;
    RETURN_IF_ERROR(map.ReadDuration("jitter", periodic.jitter));
    periodic.period = std::max(periodic.jitter, unset);
    options = periodic;
  } else {
    constexpr std::array<std::string_view, 4> kProcesses = {"pareto", "poisson", "bursty",
                                                            "periodic"};
    return FailAt(process_node.Place(), "unknown process '{}'{}", process,
                  Suggest(process, kProcesses));
  }
  if (const Status status = CheckArrivals(options); !status.has_value())
    return FailAt(node.Place(), "{}", status.error().message);
  return options;
}

}  // namespace fairlead
