#include "fairlead/sharing/dynamic_partition.h"

#include "fairlead/sharing/preference_walk.h"
#include "fairlead/sharing/quotas.h"

namespace fairlead {
namespace {

class DynamicPartition final : public SharingMechanism {
 public:
  DynamicPartition(const Market& market, const DynamicPartitionOptions& options)
      : agents_(market.agents()), options_(options), walk_(market), quotas_(market) {}

  std::string_view Name() const override { return "dynamic-partition"; }
  void Allocate(const Reports& reports, Allocation& allocation) override {
    walk_.Begin(reports, allocation);
    const std::span<const int> counts = quotas_.Next();
    for (int i = 0; i < agents_; ++i) {
      const int agent = (first_ + i) % agents_;
      for (int taken = 0; taken < counts[static_cast<std::size_t>(agent)]; ++taken)
        walk_.Take(agent, walk_.First(agent, 0));
    }
    if (options_.first == DynamicPartitionOptions::First::kRotate) first_ = (first_ + 1) % agents_;
  }

 private:
  int agents_;
  DynamicPartitionOptions options_;
  PreferenceWalk walk_;
  Quotas quotas_;
  int first_ = 0;
};

}  // namespace

std::unique_ptr<SharingMechanism> MakeDynamicPartition(const Market& market,
                                                       const DynamicPartitionOptions& options) {
  return std::make_unique<DynamicPartition>(market, options);
}

}  // namespace fairlead
