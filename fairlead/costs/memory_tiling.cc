#include "fairlead/costs/memory_tiling.h"

#include <algorithm>
#include <array>
#include <limits>

#include "fairlead/base/integer.h"

namespace fairlead {
namespace {

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

// What a tile takes on the chip, in bits.
struct Footprint {
  std::int64_t inputs = 0;
  std::int64_t weights = 0;
  std::int64_t sums = 0;
};

// A cut of the positions: whole images, or rows of one, or a part of one row.
struct Positions {
  std::int64_t n = 1, p = 1, q = 1;
};

class TilingSearch {
 public:
  TilingSearch(const ArrayAccelerator& accelerator, const LayerShape& shape)
      : accelerator_(accelerator), shape_(shape.OneGroup()) {}

  MemoryTiling Best() {
    for (const Positions& x : PositionTiles()) {
      for (std::int64_t k : k_sizes_) {
        for (std::int64_t c : c_sizes_) {
          Consider(k, c, x);
          if (best_bits_ == compulsory_) return best_;
        }
      }
    }
    if (best_bits_ == kNoLimit) Evaluate({1, 1, {1, 1, 1}}, /*weights_stay=*/false);
    return best_;
  }

 private:
  struct Tile {
    std::int64_t k, c;
    Positions x;
  };

  std::vector<Positions> PositionTiles() const {
    std::vector<Positions> tiles;
    for (std::int64_t n : TileSizes(shape_.n)) tiles.push_back({n, shape_.p, shape_.q});
    for (std::int64_t p : TileSizes(shape_.p)) tiles.push_back({1, p, shape_.q});
    for (std::int64_t q : TileSizes(shape_.q)) tiles.push_back({1, 1, q});
    return tiles;
  }

  Footprint FootprintOf(const Tile& tile) const {
    const bool splits_sums = tile.c < shape_.c || accelerator_.sums.words == 0;
    const std::int64_t rows = shape_.Rows(tile.x.p);
    const std::int64_t columns = shape_.Columns(tile.x.q);
    return {.inputs = accelerator_.word_bits * tile.x.n * tile.c * rows * columns,
            .weights = accelerator_.word_bits * tile.k * tile.c * shape_.r * shape_.s,
            .sums = (splits_sums ? accelerator_.sum_bits : accelerator_.word_bits) * tile.x.n *
                    tile.k * tile.x.p * tile.x.q};
  }

  // A tensor lies in a buffer that holds it, or in the elements where they have room for all of it.
  bool Fits(Footprint footprint) const {
    if (footprint.inputs <= elements_.inputs) footprint.inputs = 0;
    if (footprint.sums <= elements_.sums) footprint.sums = 0;
    return std::ranges::all_of(accelerator_.buffers, [&](const SharedBuffer& buffer) {
      const std::int64_t needed = (buffer.holds_inputs ? footprint.inputs : 0) +
                                  (buffer.holds_weights ? footprint.weights : 0) +
                                  (buffer.holds_sums ? footprint.sums : 0);
      return needed <= buffer.bytes * (accelerator_.double_buffering ? 4 : 8);
    });
  }

  // What the elements hold together; those that differ only in position hold the same.
  Footprint RoomInElements() const {
    std::int64_t elements = 1;
    for (const ArrayAxis& axis : accelerator_.array) {
      const bool repeats = std::ranges::any_of(axis.loops, [](Dimension loop) {
        return loop == Dimension::kP || loop == Dimension::kQ || loop == Dimension::kX;
      });
      if (!axis.inside_element && !repeats) elements *= axis.size;
    }
    return {.inputs = accelerator_.inputs.words * elements * accelerator_.word_bits,
            .weights = accelerator_.weights.words * elements * accelerator_.word_bits,
            .sums = accelerator_.sums.words * elements * accelerator_.sum_bits};
  }

  void Consider(std::int64_t k, std::int64_t c, const Positions& x) {
    const Tile tile{k, c, x};
    const Footprint footprint = FootprintOf(tile);
    if (!Fits(footprint)) return;
    Evaluate(tile, weights_in_buffer_ || footprint.weights <= elements_.weights);
  }

  // All orders of the loops. Weights that do not stay pass by once for each tile of positions.
  void Evaluate(const Tile& tile, bool weights_stay) {
    const std::int64_t nk = CeilDiv(shape_.k, tile.k);
    const std::int64_t nc = CeilDiv(shape_.c, tile.c);
    const std::int64_t np = CeilDiv(shape_.p, tile.x.p);
    const std::int64_t nq = CeilDiv(shape_.q, tile.x.q);
    const std::int64_t nx = CeilDiv(shape_.n, tile.x.n) * np * nq;
    const std::int64_t maps = shape_.n * shape_.c;
    const std::int64_t rolling = maps * shape_.Rows(shape_.p) * shape_.Columns(shape_.q);
    const std::int64_t seamed = maps * Seamed(shape_.Rows(shape_.p), np, shape_.r) *
                                Seamed(shape_.Columns(shape_.q), nq, shape_.s);
    // For each order: which loops lie inside of which.
    struct Order {
      bool x_inside_k, x_inside_c, k_inside_c;
    };
    static constexpr std::array<Order, 6> kOrders = {{
        {true, true, true},     // c k x
        {true, true, false},    // k c x
        {true, false, false},   // k x c
        {false, true, true},    // c x k
        {false, false, true},   // x c k
        {false, false, false},  // x k c
    }};
    for (const Order& order : kOrders) {
      const bool weights_change = (!order.x_inside_k && nk > 1) || (!order.x_inside_c && nc > 1);
      const bool inputs_change = (order.x_inside_k && nx > 1) || (!order.k_inside_c && nc > 1);
      const bool sums_change = (order.k_inside_c && nk > 1) || (order.x_inside_c && nx > 1);
      // Tiles of whole rows that follow each other keep the rows they share.
      const bool rolls = nq == 1 && (order.x_inside_k || nk == 1) && (order.x_inside_c || nc == 1);
      const std::int64_t visits = sums_change ? nc : 1;
      Take({.inputs_read = (rolls ? rolling : seamed) * (inputs_change ? nk : 1),
            .weights_read = shape_.Weights() * (weights_change || !weights_stay ? nx : 1),
            .sums_read = shape_.Outputs() * (visits - 1),
            .sums_written = shape_.Outputs() * (visits - 1),
            .outputs_written = shape_.Outputs(),
            .position_tiles = nx});
    }
  }

  // What tiles read together of an extent that one would read: what a window sees beyond its step,
  // at each seam again.
  std::int64_t Seamed(std::int64_t extent, std::int64_t tiles, std::int64_t kernel) const {
    return extent + (tiles - 1) * std::max<std::int64_t>(0, kernel - shape_.stride);
  }

  void Take(const MemoryTiling& found) {
    const std::int64_t bits = Bits(found);
    if (bits > best_bits_ || (bits == best_bits_ && found.position_tiles >= best_.position_tiles))
      return;
    best_bits_ = bits;
    best_ = found;
  }

  std::int64_t Bits(const MemoryTiling& t) const {
    return accelerator_.word_bits * (t.inputs_read + t.weights_read + t.outputs_written) +
           accelerator_.sum_bits * (t.sums_read + t.sums_written);
  }

  const ArrayAccelerator& accelerator_;
  const LayerShape shape_;
  const bool weights_in_buffer_ =
      std::ranges::any_of(accelerator_.buffers, &SharedBuffer::holds_weights);
  const Footprint elements_ = RoomInElements();
  const std::vector<std::int64_t> k_sizes_ = TileSizes(shape_.k);
  const std::vector<std::int64_t> c_sizes_ = TileSizes(shape_.c);
  const std::int64_t compulsory_ =
      accelerator_.word_bits * (shape_.Inputs() + shape_.Weights() + shape_.Outputs());
  MemoryTiling best_;
  std::int64_t best_bits_ = kNoLimit;
};

}  // namespace

std::int64_t MemoryTiling::ReadBytes(const ArrayAccelerator& accelerator) const {
  return CeilDiv(
      accelerator.word_bits * (inputs_read + weights_read) + accelerator.sum_bits * sums_read, 8);
}

std::int64_t MemoryTiling::WriteBytes(const ArrayAccelerator& accelerator) const {
  return CeilDiv(accelerator.word_bits * outputs_written + accelerator.sum_bits * sums_written, 8);
}

std::vector<std::int64_t> TileSizes(std::int64_t extent) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t power = 1; power <= extent; power *= 2) {
    for (const std::int64_t parts : {power, power + power / 2}) {
      const std::int64_t size = CeilDiv(extent, parts);
      if (sizes.empty() || size < sizes.back()) sizes.push_back(size);
    }
  }
  if (sizes.back() > 1) sizes.push_back(1);
  return sizes;
}

MemoryTiling BestMemoryTiling(const ArrayAccelerator& accelerator, const LayerShape& shape) {
  MemoryTiling tiling = TilingSearch(accelerator, shape).Best();
  tiling.inputs_read *= shape.groups;
  tiling.weights_read *= shape.groups;
  tiling.sums_read *= shape.groups;
  tiling.sums_written *= shape.groups;
  tiling.outputs_written *= shape.groups;
  return tiling;
}

}  // namespace fairlead
