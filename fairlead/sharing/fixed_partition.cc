#include "fairlead/sharing/fixed_partition.h"

#include <utility>

namespace fairlead {
namespace {

class FixedPartition final : public SharingMechanism {
 public:
  explicit FixedPartition(std::vector<int> holder) : holder_(std::move(holder)) {}

  std::string_view Name() const override { return "fixed-partition"; }
  void Allocate(const Reports& /*reports*/, Allocation& allocation) override {
    allocation.divided = false;
    allocation.holder = holder_;
  }

 private:
  std::vector<int> holder_;
};

}  // namespace

std::unique_ptr<SharingMechanism> MakeFixedPartition(const Market& market) {
  std::vector<std::int64_t> held(static_cast<std::size_t>(market.agents()));
  std::vector<int> holder;
  for (int c = 0; c < market.accelerators(); ++c) {
    int next = 0;
    for (int a = 1; a < market.agents(); ++a) {
      // (held + 1) / weight, compared without rounding.
      if ((held[static_cast<std::size_t>(a)] + 1) * market.weight(next) <
          (held[static_cast<std::size_t>(next)] + 1) * market.weight(a))
        next = a;
    }
    ++held[static_cast<std::size_t>(next)];
    holder.push_back(next);
  }
  return std::make_unique<FixedPartition>(std::move(holder));
}

}  // namespace fairlead
