#include "tests/conformance/random_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "fairlead/base/check.h"
#include "fairlead/base/random.h"
#include "tests/support/simulated_run.h"

namespace fairlead::testing {
namespace {

class Draw {
 public:
  explicit Draw(std::uint64_t seed)
      : random_(seed, "random-world"), hand_overs_(seed, "random-world/hand-overs") {}

  RandomWorldTexts World() {
    DrawPlatform();
    DrawHandOvers();
    DrawProfile();
    DrawRequests();
    return {scenario_, profile_, requests_};
  }

 private:
  std::uint64_t Between(std::uint64_t low, std::uint64_t high) {
    return low + random_.Below(high - low + 1);
  }
  bool Chance(double probability) { return random_.Uniform() < probability; }

  void DrawPlatform() {
    static constexpr std::array<const char*, 3> kSharing = {"none", "proportional", "max-min"};
    kinds_ = Between(1, 4);
    scenario_ = "name: random\nplatform:\n";
    if (Chance(0.8)) scenario_ += fmt::format("  bandwidth: {}MB/s\n", Between(100, 4000));
    scenario_ += fmt::format("  sharing: {}\n  accelerators:\n", kSharing[Between(0, 2)]);
    for (std::uint64_t k = 0; k < kinds_; ++k) {
      units_.push_back(Chance(0.3) ? Between(2, 4) : 1);
      scenario_ +=
          fmt::format("    - {{kind: k{}, count: {}, units: {}", k, Between(1, 3), units_.back());
      if (Chance(0.2)) scenario_ += fmt::format(", switching: {}ns", Between(1, 500));
      scenario_ += "}\n";
    }
    scenario_ += "networks: {profile: profile}\nrequests: requests\n";
    if (Chance(0.25)) scenario_ += fmt::format("period: {}ns\n", Between(50, 2000));
    if (Chance(0.25)) scenario_ += "late_jobs: drop\n";
    if (Chance(0.2)) {
      scenario_ +=
          fmt::format("decision_charge: {{fixed: {}ns, per_ready: {}ns{}}}\n", Between(1, 50),
                      Between(0, 5), Chance(0.5) ? ", accelerator: " + FirstAccelerator() : "");
    }
    if (Chance(0.25)) {
      const std::uint64_t at = Between(0, 5000);
      scenario_ += fmt::format(
          "changes:\n  - {{at: {}ns, accelerator: {}, state: away}}\n"
          "  - {{at: {}ns, accelerator: {}, state: back}}\n",
          at, FirstAccelerator(), at + Between(1, 5000), FirstAccelerator());
    }
    if (Chance(0.25)) scenario_ += "beliefs: {bias: 0.1, noise: 0.3}\n";
  }

  // By a stream of their own, so that worlds without them stay what they are.
  void DrawHandOvers() {
    const auto below = [this](std::uint64_t bound) { return hand_overs_.Below(bound); };
    if (below(3) > 0) return;
    scenario_ += fmt::format(
        "hand_overs: {{hand_over: {}ns, take_over: {}ns, move: {{fixed: {}ns, bandwidth: "
        "{}MB/s}}}}\n",
        below(20), below(100), below(200), 1 + below(20'000));
  }

  // Of the first kind; its name depends on the count that was drawn.
  std::string FirstAccelerator() const {
    return scenario_.find("kind: k0, count: 1,") == std::string::npos ? "k0.0" : "k0";
  }

  void DrawProfile() {
    networks_ = Between(1, 4);
    profile_ =
        "network,layer,accelerator,latency_ns,dram_bytes,energy_pj,after,units,batch,alive_bytes\n";
    for (std::uint64_t n = 0; n < networks_; ++n) {
      const std::uint64_t layers = Between(1, 8);
      const bool chain = Chance(0.5);
      const bool batches = Chance(0.4);
      for (std::uint64_t layer = 0; layer < layers; ++layer) {
        std::string after;
        if (!chain && layer > 0) {
          for (std::uint64_t before = 0; before < layer; ++before) {
            if (Chance(0.4)) after += (after.empty() ? "" : " ") + std::to_string(before);
          }
          if (layer + 1 == layers && after.empty()) after = std::to_string(layer - 1);
        }
        const std::uint64_t home = Between(0, kinds_ - 1);  // it can run at least there
        for (std::uint64_t kind = 0; kind < kinds_; ++kind) {
          const bool first = n == 0 && layer == 0;  // runs everywhere, so that all kinds are used
          if (kind != home && !first && Chance(0.2)) continue;
          for (std::uint64_t units = 1; units <= units_[kind]; units *= 2) {
            const std::uint64_t latency = Between(1, 600);
            const std::uint64_t traffic = Chance(0.2) ? 0 : Between(0, 3 * latency);
            const std::uint64_t energy = Between(0, 100);
            for (std::uint64_t batch = 1; batch <= (batches ? 4 : 1); batch *= 2) {
              profile_ += fmt::format("n{},{},k{},{},{},{},{},{},{},{}\n", n, layer, kind,
                                      latency * (batch + 1) / 2, traffic, energy, after, units,
                                      batch, (n * 700 + layer * 131) % 1000);
            }
          }
        }
      }
    }
  }

  void DrawRequests() {
    requests_ = "request,arrival_ns,tenant,network,deadline_ns,priority\n";
    const std::uint64_t count = Between(1, 40);
    const std::uint64_t spread = Between(1, 20000);
    for (std::uint64_t r = 0; r < count; ++r) {
      requests_ += fmt::format("{},{},t{},n{},{},{}\n", r, Between(0, spread), Between(0, 4),
                               Between(0, networks_ - 1), Between(1, 6000), Between(1, 9));
    }
  }

  RandomStream random_;
  RandomStream hand_overs_;
  std::uint64_t kinds_ = 0;
  std::uint64_t networks_ = 0;
  std::vector<std::uint64_t> units_;
  std::string scenario_;
  std::string profile_;
  std::string requests_;
};

}  // namespace

RandomWorldTexts DrawWorld(std::uint64_t seed) { return Draw(seed).World(); }

std::unique_ptr<const World> BuildRandomWorld(const RandomWorldTexts& texts) {
  auto world = WorldOfTexts(texts.scenario, texts.profile, texts.requests);
  CHECK_MSG(world.has_value(), world.error().message + "\n" + texts.scenario + texts.profile);
  return std::move(*world);
}

}  // namespace fairlead::testing
