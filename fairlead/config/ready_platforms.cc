#include "fairlead/config/ready_platforms.h"

#include <algorithm>
#include <array>
#include <string>

#include "fairlead/base/check.h"
#include "fairlead/config/embedded_files.h"
#include "fairlead/config/measured_cores.h"
#include "fairlead/costs/measured.h"

namespace fairlead {
namespace {

constexpr std::string_view kH200 = "h200-partitions";

constexpr std::array<MeasuredColumn, 4> kH200Columns = {
    {{"us_sm64_0", "p0"}, {"us_sm32_1", "p1"}, {"us_sm16_2", "p2"}, {"us_sm16_3", "p3"}}};
NamedText Embedded(std::string_view path) {
  const auto files = EmbeddedFiles();
  const auto found = std::ranges::find(files, path, &EmbeddedFile::path);
  CHECK(found != files.end());
  return {found->path, found->text};
}

}  // namespace

std::span<const ReadyPlatform> ReadyPlatforms() {
  static const std::vector<ReadyPlatform> platforms = {
      {.name = kH200,
       .description = "an H200 cut into 64, 32, 16 and 16 multiprocessors; measured, 16 bit",
       .bandwidth = 4'800'000'000'000,
       .accelerators = {{.kind = "p0"}, {.kind = "p1"}, {.kind = "p2"}, {.kind = "p3"}},
       .measured = true},
      {.name = kXeonCores,
       .description = "16 cores of a Xeon as units of one accelerator; measured, 32 bit",
       .accelerators = {{.kind = "cores", .units = 16}},
       .measured = true},
      {.name = kMeasuredCores,
       .description = "16 cores as units, networks in two versions; our own executor, 32 bit",
       .accelerators = {{.kind = "cores", .units = 16}},
       .measured = true},
      {.name = "xavier",
       .description = "a GPU and two DLAs, which leave some operators to it; rooflines, 16 bit",
       .bandwidth = 137'000'000'000,
       .accelerators = {{.kind = "xavier-gpu"}, {.kind = "xavier-dla", .count = 2}}},
  };
  return platforms;
}

Profile MeasuredProfileOf(std::string_view platform) {
  if (AreMeasuredCores(platform)) return MeasuredCoresProfile(platform);
  CHECK(platform == kH200);
  const Measurements measurements{.layers = Embedded("data/h200/layers.csv"),
                                  .models = Embedded("data/h200/models.csv"),
                                  .networks = Embedded("data/h200/networks.csv"),
                                  .columns = kH200Columns,
                                  .word_bytes = 2};
  auto profile = ProfileOf(measurements);
  CHECK_MSG(profile.has_value(), profile.error().message);
  return std::move(*profile);
}

}  // namespace fairlead
