#include "fairlead/scenario/scenario_sections.h"

namespace fairlead {

// A file, or {hand_over: 5us, take_over: 50us, move: {fixed: 20us, bandwidth: 8GB/s}}.
Status ReadHandOvers(const ConfigNode& node, HandOversConfig& hand_overs) {
  constexpr Duration kLongest = HandOverCosts::kLongestPart;
  hand_overs.place = node.Place();
  hand_overs.given = true;
  if (node.IsText()) {
    ASSIGN_OR_RETURN(hand_overs.file, node.Text());
    return {};
  }
  ASSIGN_OR_RETURN(const ConfigMap map, ConfigMap::Open(node, {"hand_over", "take_over", "move"}));
  RETURN_IF_ERROR(map.ReadDuration("hand_over", hand_overs.hand_over, kLongest));
  RETURN_IF_ERROR(map.ReadDuration("take_over", hand_overs.take_over, kLongest));
  const auto move = map.Find("move");
  if (!move.has_value()) return {};
  ASSIGN_OR_RETURN(const ConfigMap parts, ConfigMap::Open(*move, {"fixed", "bandwidth"}));
  RETURN_IF_ERROR(parts.ReadDuration("fixed", hand_overs.move.fixed, kLongest));
  if (const auto bandwidth = parts.Find("bandwidth"); bandwidth.has_value()) {
    ASSIGN_OR_RETURN(hand_overs.move.bandwidth, bandwidth->AsBandwidth());
  }
  return {};
}

}  // namespace fairlead
