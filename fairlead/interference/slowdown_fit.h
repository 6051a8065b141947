// Slowdown models fitted to measurements, and judged by others.
//
// Accuracy is 1 minus the mean absolute percentage error of the time beside others. The same is
// said of those whom the others slow by more than 1.1, since most are hardly slowed; and how much
// of the error of saying "nobody is slowed" a model takes away.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "fairlead/interference/machine_data.h"
#include "fairlead/interference/slowdown_model.h"

namespace fairlead {

inline constexpr double kSlowed = 1.1;

// What a set of measurements is made of, ready to be asked about.
class MachineOccupants {
 public:
  explicit MachineOccupants(const MachineData& machine);

  const Occupant& Layer(std::size_t layer, std::size_t partition) const {
    return layers_[layer * partitions_ + partition];
  }
  const LayerSequence& Network(std::size_t network, std::size_t partition) const {
    return networks_[network * partitions_ + partition];
  }
  std::size_t partitions() const { return partitions_; }
  // Who is where; null: idle.
  std::vector<const Occupant*> Of(const CoRun& run) const;
  std::vector<const LayerSequence*> Of(const NetworkMixture& mixture) const;

 private:
  std::size_t partitions_;
  std::vector<Occupant> layers_;  // by layer and partition
  std::vector<LayerSequence> networks_;
};

// One prediction beside what was measured, both over the time alone.
struct Judged {
  std::size_t partition = 0;
  std::uint32_t beside = 0;  // a bit for each partition that others run on
  double measured = 1;
  double predicted = 1;
};

struct Accuracy {
  std::size_t count = 0;
  double overall = 0;
  std::size_t slowed_count = 0;
  double slowed = 0;
  double removed = 0;  // of the error of saying that nobody is slowed
};
Accuracy AccuracyOf(std::span<const Judged> judged);

class SlowdownFitter {
 public:
  // Of layers, and of what corrects their integrals over networks.
  struct By {
    const Learner& layers;
    const Learner& networks;
  };
  SlowdownFitter(const MachineData& machine, By learners, FitOptions options)
      : machine_(machine), occupants_(machine), by_(learners), options_(std::move(options)) {}

  // Fails with fewer examples than can teach anything.
  Status FitLayers(SlowdownModel& model, std::span<const CoRun> runs) const;
  Status FitNetworks(SlowdownModel& model, std::span<const NetworkMixture> mixtures) const;

  std::vector<Judged> Judge(const SlowdownModel& model, std::span<const CoRun> runs) const;
  std::vector<Judged> Judge(const SlowdownModel& model, std::span<const NetworkMixture> mixtures,
                            SlowdownModel::Correction correction) const;
  // Each run is predicted by a model that has not seen its layer: the layers are dealt to folds.
  Result<std::vector<Judged>> CrossValidate(std::span<const CoRun> runs, std::size_t folds) const;
  // Each mixture is predicted by a correction that has not seen it.
  Result<std::vector<Judged>> CrossValidate(const SlowdownModel& model,
                                            std::span<const NetworkMixture> mixtures,
                                            std::size_t folds) const;
  const MachineOccupants& occupants() const { return occupants_; }

 private:
  const MachineData& machine_;
  MachineOccupants occupants_;
  By by_;
  FitOptions options_;
};

}  // namespace fairlead
