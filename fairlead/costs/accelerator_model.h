// A kind of accelerator and what layers cost on it: an array described by its parts, or a processor
// of equal units as a roofline.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "fairlead/costs/array_accelerator.h"
#include "fairlead/costs/layer_cost.h"
#include "fairlead/costs/unit_roofline.h"
#include "fairlead/networks/layer.h"

namespace fairlead {

struct AcceleratorModel {
  std::string name;
  std::string description;
  std::variant<ArrayAccelerator, UnitRoofline> model;
  std::vector<LayerKind> cannot_run;

  bool CanRun(const LayerShape& shape) const;
  // In how many units a layer can run: 1 for arrays; else 1, 2, 4, ... and all of them.
  std::vector<int> UnitChoices() const;
  // Precondition: it can run the layer, and the units are a choice.
  LayerCost Cost(const LayerShape& shape, int units) const;

  double PeakGmacsPerSecond() const;  // of all units
  double DramGbPerSecond() const;
  std::int64_t WordBits() const;
};

}  // namespace fairlead
