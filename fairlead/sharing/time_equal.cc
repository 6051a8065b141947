#include "fairlead/sharing/time_equal.h"

namespace fairlead {
namespace {

class TimeEqual final : public SharingMechanism {
 public:
  std::string_view Name() const override { return "time-equal"; }
  void Allocate(const Reports& /*reports*/, Allocation& allocation) override {
    allocation.holder.clear();
    allocation.divided = true;
  }
};

}  // namespace

std::unique_ptr<SharingMechanism> MakeTimeEqual() { return std::make_unique<TimeEqual>(); }

}  // namespace fairlead
