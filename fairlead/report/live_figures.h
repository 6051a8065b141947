// What a live run says beside its figures: that it was live, who else used its cores, and how far
// what was simulated is what ran.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fairlead/base/time.h"

namespace fairlead {

// How a segment came to run where it did.
enum class Passage : std::uint8_t {
  kGoesOn,     // where its job ran just before
  kTakesOver,  // after another job, or as the first of all
  kMoves,      // its job ran on another accelerator before
};
inline constexpr std::size_t kPassages = 3;

// Segments of a network on a kind of accelerator that came to run there in one way; batches are
// left out. Times are of one segment.
struct SegmentComparison {
  std::string network;
  std::string kind;
  Passage passage{};
  std::uint64_t segments = 0;
  double predicted_us = 0;   // by the true costs, alone, with its hand-over; the mean
  double measured_us = 0;    // likewise
  double beyond_p50_us = 0;  // measured beyond predicted
  double beyond_p95_us = 0;
};

struct TenantFigures {
  double hit_rate = 0;
  double p50_ms = 0;  // of finished requests
  double p95_ms = 0;
};

struct TenantComparison {
  std::string tenant;
  std::string network;
  std::uint64_t requests = 0;
  TenantFigures simulated;
  TenantFigures live;
  TenantFigures again;  // simulated on what was measured in the live run
};

struct LiveComparison {
  std::vector<SegmentComparison> segments;
  std::vector<TenantComparison> tenants;
  std::uint64_t simulated_moves = 0;
};

struct LiveFigures {
  std::string pace;  // "sleep", "spin" or "run"
  std::uint64_t passages[kPassages] = {};
  // Of the time of its cores, where it has cores: what other programs used, and other machines.
  std::optional<double> others_share;
  std::optional<double> stolen_share;
  std::optional<LiveComparison> comparison;

  std::uint64_t moves() const { return passages[static_cast<std::size_t>(Passage::kMoves)]; }
};

struct RunFigures;

// What stands below the table; nothing for simulated runs.
std::string FormatLive(std::span<const RunFigures> runs);

}  // namespace fairlead
