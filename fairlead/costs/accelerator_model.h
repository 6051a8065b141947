// A kind of accelerator and what layers cost on it: an array described by its parts, or a processor
// of equal units as a roofline.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "fairlead/base/time.h"
#include "fairlead/costs/array_cost.h"
#include "fairlead/costs/profile.h"
#include "fairlead/networks/layer.h"

namespace fairlead {

// A processor of equal units (cores, multiprocessors) as a roofline: a layer takes a fixed overhead
// and then the longer of its arithmetic and its compulsory traffic, both of which go faster with
// more units until the memory is busy. What such processors reach on layers that do not fill them
// is folded into the rates.
struct UnitRoofline {
  std::int64_t units = 1;
  double gmacs_per_s = 1;  // of one unit
  double depthwise_gmacs_per_s =
      0;                         // of one unit, where each input has its own kernel; 0: the same
  double vector_gops_per_s = 1;  // of one unit, in operators that do not multiply
  double unit_gb_per_s = 1;      // what one unit can draw
  double dram_gb_per_s = 16;     // what all can draw together
  Duration overhead{};           // of each layer: launching, synchronising
  std::int64_t word_bits = 32;
  double mac_pj = 0;
  double dram_pj_per_byte = 64;
};

// Precondition: 1 <= units <= processor.units.
LayerCost CostOn(const UnitRoofline& processor, const LayerShape& shape, std::int64_t units);

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

// What networks cost on accelerators, layer by layer, by the cost models.

// Costs of layers on one accelerator, each shape computed once. Not for several threads.
class LayerCosts {
 public:
  // The accelerator must outlive this.
  explicit LayerCosts(const AcceleratorModel& accelerator) : accelerator_(accelerator) {}

  // Precondition: as for AcceleratorModel::Cost.
  const LayerCost& Of(const LayerShape& shape, int units);

 private:
  struct Key {
    LayerShape shape;
    int units;
    friend auto operator<=>(const Key&, const Key&) = default;
  };

  const AcceleratorModel& accelerator_;
  std::map<Key, LayerCost> known_;
};

// One row for each layer, accelerator that can run it, number of units and batch. What is alive
// after a layer is its output, in the widest words of all accelerators.
Profile ProfileOf(std::span<const LayeredNetwork> networks,
                  std::span<const AcceleratorModel> accelerators,
                  std::span<const int> batches = {});

}  // namespace fairlead
