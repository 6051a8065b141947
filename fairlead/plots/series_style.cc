#include "fairlead/plots/series_style.h"

namespace fairlead {

SeriesStyle StyleOf(std::size_t series) {
  static constexpr std::string_view kColours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                  "#e69f00", "#56b4e9", "#8a8a8a"};
  static constexpr std::string_view kDashes[] = {"", "6 3", "2 2", "8 2 2 2"};
  constexpr std::size_t kColourCount = std::size(kColours);
  const std::size_t round = series / kColourCount;
  return {.colour = kColours[series % kColourCount],
          .dash = kDashes[round % std::size(kDashes)],
          .mark = static_cast<MarkShape>((series + round) % kMarkShapes)};
}

}  // namespace fairlead
