#include "tests/conformance/crowded_world.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "fairlead/base/random.h"

namespace fairlead::testing {
namespace {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed, "crowded") {
    if (seed % 2 == 0) {
      DrawPlain();
    } else {
      texts_ = DrawWorld(seed);
      const std::size_t last = texts_.profile.rfind("\nn", texts_.profile.size() - 2);
      networks_ = 1 + static_cast<std::uint64_t>(texts_.profile[last + 2] - '0');
      DrawRequests(Between(10, 60), Between(100, 6000), Between(1, 200), Between(200, 6000));
    }
    if (texts_.scenario.find("changes:") == std::string::npos && Chance(0.4)) DrawChanges();
  }
  const RandomWorldTexts& texts() const { return texts_; }

 private:
  std::uint64_t Between(std::uint64_t low, std::uint64_t high) {
    return low + random_.Below(high - low + 1);
  }
  bool Chance(double probability) { return random_.Uniform() < probability; }

  void DrawPlain() {
    static constexpr std::array<const char*, 3> kSharing = {"none", "proportional", "max-min"};
    const std::uint64_t kinds = Between(1, 2);
    const std::uint64_t units = Chance(0.4) ? 4 : 1;
    texts_.scenario = fmt::format("name: plain\nplatform:\n  bandwidth: {}MB/s\n  sharing: {}\n",
                                  Between(300, 2500), kSharing[Between(0, 2)]);
    texts_.scenario += "  accelerators:\n";
    for (std::uint64_t k = 0; k < kinds; ++k)
      texts_.scenario +=
          fmt::format("    - {{kind: k{}, count: {}, units: {}}}\n", k, Between(1, 2), units);
    texts_.scenario += "networks: {profile: profile}\nrequests: requests\n";
    DrawProfile(kinds, units);
    const std::uint64_t longest = Between(300, 3000);
    DrawRequests(Between(60, 160), Between(500, 3500), longest / 3, longest);
  }

  void DrawProfile(std::uint64_t kinds, std::uint64_t units) {
    texts_.profile = "network,layer,accelerator,latency_ns,dram_bytes,energy_pj,units,batch\n";
    networks_ = Between(1, 3);
    const bool batches = Chance(0.3);
    const double gain = 0.5 + random_.Uniform() / 2;  // of more units: less than their number
    for (std::uint64_t n = 0; n < networks_; ++n) {
      const std::uint64_t layers = Between(1, 2);
      for (std::uint64_t layer = 0; layer < layers; ++layer) {
        const std::uint64_t base = Between(20, 100);
        const std::uint64_t bytes = Chance(0.3) ? 0 : Between(1, 2 * base);
        for (std::uint64_t k = 0; k < kinds; ++k) {
          for (std::uint64_t u = 1; u <= units; u *= 2) {
            const double slower =
                std::pow(static_cast<double>(units) / static_cast<double>(u), gain);
            const auto latency =
                static_cast<std::uint64_t>(static_cast<double>(base + Between(0, 10)) * slower);
            for (std::uint64_t batch = 1; batch <= (batches ? 4 : 1); batch *= 2)
              texts_.profile +=
                  fmt::format("n{},{},k{},{},{},1,{},{}\n", n, layer, k, latency * (batch + 1) / 2,
                              bytes * (batch + 1) / 2, u, batch);
          }
        }
      }
    }
  }

  void DrawRequests(std::uint64_t count, std::uint64_t spread, std::uint64_t shortest,
                    std::uint64_t longest) {
    texts_.requests = "request,arrival_ns,tenant,network,deadline_ns,priority\n";
    for (std::uint64_t r = 0; r < count; ++r) {
      texts_.requests +=
          fmt::format("{},{},t{},n{},{},{}\n", r, Between(0, spread), Between(0, 4),
                      Between(0, networks_ - 1), Between(shortest, longest), Between(1, 9));
    }
  }

  // Some accelerators go away; some of them come back.
  void DrawChanges() {
    // A run with a period whose jobs wait for what is gone for good may have no end.
    const bool may_stay_away = texts_.scenario.find("period:") == std::string::npos;
    std::string changes;
    for (const std::string& name : Accelerators()) {
      if (Chance(0.5)) continue;
      const std::uint64_t at = Between(0, 3000);
      changes += fmt::format("  - {{at: {}ns, accelerator: {}, state: away}}\n", at, name);
      if (!may_stay_away || Chance(0.6))
        changes += fmt::format("  - {{at: {}ns, accelerator: {}, state: back}}\n",
                               at + Between(1, 3000), name);
    }
    if (!changes.empty()) texts_.scenario += "changes:\n" + changes;
  }

  std::vector<std::string> Accelerators() const {
    std::vector<std::string> names;
    for (std::size_t kind = 0;; ++kind) {
      const std::string key = fmt::format("kind: k{}, count: ", kind);
      const std::size_t at = texts_.scenario.find(key);
      if (at == std::string::npos) return names;
      const int count = texts_.scenario[at + key.size()] - '0';
      for (int i = 0; i < count; ++i)
        names.push_back(count == 1 ? fmt::format("k{}", kind) : fmt::format("k{}.{}", kind, i));
    }
  }

  RandomStream random_;
  RandomWorldTexts texts_;
  std::uint64_t networks_ = 0;
};

}  // namespace

RandomWorldTexts DrawCrowdedWorld(std::uint64_t seed) { return Draw(seed).texts(); }

}  // namespace fairlead::testing
