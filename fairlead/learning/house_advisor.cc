#include "fairlead/learning/house_advisor.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace fairlead {
namespace {

constexpr std::size_t kAdvisorInputs = HouseContext::kSize + HouseFeatures::kSize;
constexpr std::size_t kAdvisorOutputs = 2;

class NetworkAdvisor final : public HouseAdvisor {
 public:
  explicit NetworkAdvisor(DenseNetwork network) : network_(std::move(network)) {}

  void Advise(const HouseContext& context, std::span<const HouseFeatures> segments,
              std::span<HouseCorrection> corrections) override {
    std::ranges::copy(context.values, inputs_.begin());
    for (std::size_t i = 0; i < segments.size(); ++i) {
      std::ranges::copy(segments[i].values, inputs_.begin() + HouseContext::kSize);
      RunNetwork(network_, inputs_, values_);
      const std::vector<double>& outputs = values_.back();
      corrections[i] = {
          .claim = kMostClaimAdvised * std::clamp(outputs[0], -1.0, 1.0),
          .spare = kMostSpareAdvised * std::clamp(outputs[1], -1.0, 1.0),
      };
    }
  }

 private:
  DenseNetwork network_;
  std::array<double, kAdvisorInputs> inputs_{};
  std::vector<std::vector<double>> values_;  // of each layer; scratch
};

}  // namespace

Result<DenseNetwork> ParseHouseAdvisor(std::string_view text) {
  ASSIGN_OR_RETURN(DenseNetwork network,
                   ParseNetwork(text, kHouseAdvisorName, kHouseAdvisorVersion));
  if (static_cast<std::size_t>(network.inputs()) != kAdvisorInputs ||
      static_cast<std::size_t>(network.outputs()) != kAdvisorOutputs)
    return Fail("a network of {} inputs and {} outputs; expected {} and {}", network.inputs(),
                network.outputs(), kAdvisorInputs, kAdvisorOutputs);
  return network;
}

std::unique_ptr<HouseAdvisor> MakeHouseAdvisor(DenseNetwork network) {
  return std::make_unique<NetworkAdvisor>(std::move(network));
}

}  // namespace fairlead
