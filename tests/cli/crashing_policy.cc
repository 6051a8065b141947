// A policy that crashes at its first decision, as plugin_test.py needs it.
#include <csignal>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "fairlead/world/policy_plugin.h"

namespace fairlead {
namespace {

struct CrashOptions {
  std::size_t deep = 0;
};

OptionTable OptionsOf(CrashOptions& options) {
  return {CountOption("deep", "1: a recursion without end", options.deep, {.low = 0, .high = 1},
                      {"0", "1"})};
}

class Crashing final : public SchedulingPolicy {
 public:
  Crashing(std::string name, bool deep) : name_(std::move(name)), deep_(deep) {}
  std::string_view Name() const override { return name_; }
  void Decide(const SystemView& /*view*/, SchedulingPlan& /*plan*/) override {
    if (deep_) Descend(0);
    std::raise(SIGSEGV);
  }

 private:
  // Not a loop: what is returned is added to.
  static int Descend(int depth) {
    volatile char taken[4096];
    taken[0] = static_cast<char>(depth);
    return depth < 0 ? 0 : Descend(depth + taken[0] % 2 + 1) + taken[0];
  }

  std::string name_;
  bool deep_;
};

std::unique_ptr<SchedulingPolicy> MakeCrashing(std::string name, const CrashOptions& options,
                                               RandomStream /*random*/) {
  return std::make_unique<Crashing>(std::move(name), options.deep == 1);
}

}  // namespace
}  // namespace fairlead

FAIRLEAD_POLICY("crashes", fairlead::MakeCrashing)
