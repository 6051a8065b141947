// What a learned policy is shown at one decision, and what it answers, as numbers.
//
// A row is a ready segment. Numbers are scaled to about [-3, 3]. Nothing in them depends on names
// or on the order in which tenants, networks, kinds and accelerators are listed, and nothing tells
// who the tenant is. Kinds are told apart by how fast the row's segment is on them: column 0 is
// where it is fastest, so a network that was trained on one platform means something on another.
//
// An answer has for each row a priority and a score for each of the row's kinds, all in [-1, 1]
// (decision_decoder.h says what they do).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fairlead/base/id.h"
#include "fairlead/base/time.h"
#include "fairlead/scheduling/job.h"

namespace fairlead {

inline constexpr std::size_t kMostKinds = 4;  // that a row tells apart: those where it is fastest

// Columns that all rows share: they describe the system.
inline constexpr std::size_t kSystemFeatures = 3 + 3 * kMostKinds;
// Columns of a row, and those that the aware encoder has behind them: current and target indicator.
inline constexpr std::size_t kSegmentFeatures = 11 + 4 * kMostKinds;
inline constexpr std::size_t kIndicatorFeatures = 2;
// Of an answer, for each row: priority, then scores.
inline constexpr std::size_t kActionsPerRow = 1 + kMostKinds;

// A row's kinds, where it is fastest first; invalid ids behind the last.
using RankedKinds = std::array<KindId, kMostKinds>;

struct DecisionFeatures {
  Instant now{};                    // of the decision
  std::uint64_t costs_version = 0;  // as in SystemView: from one to the next, all rows may change
  std::vector<float> system;        // kSystemFeatures
  std::vector<float> rows;          // size() x width, one row behind the other
  std::size_t width = kSegmentFeatures;
  std::vector<ReadySegment> segments;  // in order of their rows: least slack first
  std::vector<RankedKinds> kinds;      // of the rows
  std::vector<bool> covered;           // of the rows: by their agreement's contract

  std::size_t size() const { return segments.size(); }
  // Makes room for so many rows, so that filling them allocates nothing.
  void Reserve(std::size_t most, std::size_t columns) {
    system.reserve(kSystemFeatures);
    rows.reserve(most * columns);
    segments.reserve(most);
    kinds.reserve(most);
    covered.reserve(most);
  }
  // Empties it for rows of a decision; of one like another, for some of its rows.
  void Begin() {
    rows.clear();
    segments.clear();
    kinds.clear();
    covered.clear();
  }
  void Begin(const DecisionFeatures& whole) {
    Begin();
    now = whole.now;
    costs_version = whole.costs_version;
    system = whole.system;
    width = whole.width;
  }
  void Add(const DecisionFeatures& whole, std::size_t row) {
    rows.insert(rows.end(), whole.Row(row).begin(), whole.Row(row).end());
    segments.push_back(whole.segments[row]);
    kinds.push_back(whole.kinds[row]);
    covered.push_back(whole.covered[row]);
  }
  std::span<const float> Row(std::size_t row) const {
    return std::span(rows).subspan(row * width, width);
  }
};

}  // namespace fairlead
