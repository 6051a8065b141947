#include "fairlead/sharing/take_turns.h"

#include "fairlead/sharing/preference_walk.h"

namespace fairlead {
namespace {

class TakeTurns final : public SharingMechanism {
 public:
  explicit TakeTurns(const Market& market) : market_(market), walk_(market) {}

  std::string_view Name() const override { return "round-robin"; }
  void Allocate(const Reports& reports, Allocation& allocation) override {
    walk_.Begin(reports, allocation);
    while (walk_.left() > 0) {
      walk_.Take(turn_, walk_.First(turn_, 0));
      if (++turns_had_ < market_.weight(turn_)) continue;
      turns_had_ = 0;
      turn_ = (turn_ + 1) % market_.agents();
    }
  }

 private:
  const Market& market_;
  PreferenceWalk walk_;
  int turn_ = 0;
  std::int64_t turns_had_ = 0;  // in a row
};

}  // namespace

std::unique_ptr<SharingMechanism> MakeTakeTurns(const Market& market) {
  return std::make_unique<TakeTurns>(market);
}

}  // namespace fairlead
