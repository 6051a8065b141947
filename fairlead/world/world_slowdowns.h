// How segments of a world slow each other where its scenario names a model (`interference`): what
// the world obeys, and what policies believe. Two models, which never are the same object.
#pragma once

#include <memory>

#include "fairlead/base/result.h"
#include "fairlead/interference/interference_model.h"
#include "fairlead/scenario/files.h"
#include "fairlead/world/world.h"

namespace fairlead {

// Finds the models that the scenario names.
Status ResolveSlowdowns(World& world, const FileReader& read);

// Gives a world a model that it obeys, or that policies believe. Its runs remember what the model
// says: none may run beside another.
void SetTrueSlowdowns(World& world, std::shared_ptr<const SlowdownModel> truth);
void SetBelievedSlowdowns(World& world, std::shared_ptr<const SlowdownModel> belief);

// What a model says about the segments of a world.
std::shared_ptr<const SegmentSlowdowns> SlowdownsIn(const World& world,
                                                    std::shared_ptr<const SlowdownModel> model);

// What the simulated world obeys: the model of the scenario, or its shared bandwidth.
std::unique_ptr<InterferenceModel> TrueInterference(const World& world);

// Beliefs whose latencies are those beside others: each is multiplied by the mean of what the
// believed model expects while one of the networks that agreements name runs on every other
// accelerator. As they were where the scenario names no such model.
CostTable BesideOthers(const World& world, CostTable beliefs);

}  // namespace fairlead
