// Slowdown models: reading, writing and reading again gives the same, and a model that is accepted
// can be asked about layers and sequences, whatever it answers.

#include <cmath>
#include <vector>

#include "fairlead/base/check.h"
#include "fairlead/interference/segment_slowdowns.h"
#include "tests/fuzz/fuzz_input.h"

namespace fairlead {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto model = SlowdownModel::Read("fuzz.slowdown", TextOf(data, size));
  if (!model.has_value()) {
    CHECK(model.error().message.starts_with("fuzz.slowdown: "));
    return 0;
  }
  const std::string text = model->Write();
  const auto again = SlowdownModel::Read("again.slowdown", text);
  CHECK_MSG(again.has_value(), again.error().message);
  CHECK(again->Write() == text);

  const std::size_t partitions = model->partitions();
  std::vector<std::size_t> partition_of;
  std::vector<LayerSequence> sequences;
  std::vector<PlacedOccupant> all;
  const std::vector<OccupantSizes> layers = {{.us = 3, .macs = 1e6, .in_bytes = 1e5},
                                             {.us = 1e9, .weight_bytes = 1e12}};
  for (std::size_t p = 0; p < partitions; ++p) {
    partition_of.push_back(p);
    sequences.emplace_back(layers, 2e9, 1e12);
    all.push_back({AcceleratorId{p}, NetworkId{std::size_t{0}}, SegmentId{std::size_t{0}}});
  }
  const SegmentSlowdowns slowdowns(std::make_shared<SlowdownModel>(std::move(*model)), partition_of,
                                   {0}, std::move(sequences));
  for (const PlacedOccupant& one : all) {
    const double slowdown = slowdowns.Of(one, all);
    CHECK(slowdown >= 1 && slowdown <= kMostSlowdown);
  }
  return 0;
}

}  // namespace fairlead
