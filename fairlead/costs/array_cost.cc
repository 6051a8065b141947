#include "fairlead/costs/array_cost.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

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

namespace {

using PerDimension = std::array<std::int64_t, kDimensions>;

// Arrays that anybody would build have some hundreds of unrollings; the search of a monster ends
// here, with the widest, which it tries first.
constexpr int kMostUnrollings = 200'000;

// Only a longer side of an output map may be padded. Not the size of an axis, so that a longer axis
// has all choices of a shorter one.
constexpr std::int64_t kLongestWholeSide = 16;

constexpr std::size_t At(Dimension dimension) { return static_cast<std::size_t>(dimension); }

PerDimension Ones() {
  PerDimension ones;
  ones.fill(1);
  return ones;
}

// How loops are spread over the array: how far each is unrolled in all, and that part of it which
// lies inside an element.
struct Unrolled {
  PerDimension total = Ones();
  PerDimension inside = Ones();

  std::int64_t operator[](Dimension d) const { return total[At(d)]; }
  std::int64_t Inside(Dimension d) const { return inside[At(d)]; }
  std::int64_t Outside(Dimension d) const { return total[At(d)] / inside[At(d)]; }
};

class Search {
 public:
  Search(const ArrayAccelerator& accelerator, const LayerShape& shape)
      : a_(accelerator), group_(shape.OneGroup()), groups_(shape.groups) {
    extent_[At(Dimension::kK)] = group_.k;
    extent_[At(Dimension::kC)] = group_.c;
    extent_[At(Dimension::kP)] = group_.p;
    extent_[At(Dimension::kQ)] = group_.q;
    extent_[At(Dimension::kR)] = group_.r;
    extent_[At(Dimension::kS)] = group_.s;
    extent_[At(Dimension::kX)] = group_.p * group_.q;
    extent_[At(Dimension::kG)] = groups_;
    for (ArrayAxis& axis : axes_) {
      if (rows_stay_) std::ranges::stable_partition(axis.loops, &IsOfKernel);
    }
    for (const Dimension side : {Dimension::kP, Dimension::kQ, Dimension::kX}) {
      const std::int64_t extent = extent_[At(side)];
      padded_[At(side)] = extent > kLongestWholeSide && IsPrime(extent);
    }
  }

  ArrayMapping Best() {
    Unroll(0, 0, axes_.empty() ? 1 : axes_[0].size, Unrolled{});
    return best_;
  }

 private:
  // Chooses how far to unroll the given loop of the given axis, of which `room` is left.
  void Unroll(std::size_t axis, std::size_t loop, std::int64_t room, const Unrolled& so_far) {
    if (unrollings_ == kMostUnrollings) return;
    if (axis == axes_.size()) return Consider(so_far);
    const ArrayAxis& here = axes_[axis];
    if (loop == here.loops.size()) {
      const std::int64_t next = axis + 1 < axes_.size() ? axes_[axis + 1].size : 1;
      return Unroll(axis + 1, 0, next, so_far);
    }
    const Dimension dimension = here.loops[loop];
    const bool widest_only = loop + 1 == here.loops.size() && !AppearsAfter(axis, dimension);
    const std::int64_t left = CeilDiv(extent_[At(dimension)], so_far[dimension]);
    for (const std::int64_t factor : Factors(dimension, left, room)) {
      Unrolled next = so_far;
      next.total[At(dimension)] *= factor;
      if (here.inside_element) next.inside[At(dimension)] *= factor;
      Unroll(axis, loop + 1, room / factor, next);
      if (widest_only) break;
    }
  }

  bool AppearsAfter(std::size_t axis, Dimension dimension) const {
    return std::any_of(axes_.begin() + static_cast<std::ptrdiff_t>(axis) + 1, axes_.end(),
                       [&](const ArrayAxis& later) {
                         return std::ranges::find(later.loops, dimension) != later.loops.end();
                       });
  }

  static bool IsOfKernel(Dimension dimension) {
    return dimension == Dimension::kR || dimension == Dimension::kS;
  }

  // Descending. Of factors that need equally many rounds the smallest.
  std::vector<std::int64_t> Factors(Dimension dimension, std::int64_t left,
                                    std::int64_t room) const {
    std::vector<std::int64_t> factors;
    if (rows_stay_ && IsOfKernel(dimension)) {
      const std::int64_t rounds = CeilDiv(left, std::min(left, room));
      return {CeilDiv(left, rounds)};
    }
    if (a_.unrolling == Unrolling::kDivisors && !padded_[At(dimension)]) {
      const bool pad = dimension == Dimension::kK && left % 2 == 1 && left > 1;
      const std::int64_t padded = left + (pad ? 1 : 0);
      for (std::int64_t factor = std::min(padded, room); factor >= 1; --factor) {
        if (padded % factor == 0) factors.push_back(factor);
      }
      return factors;
    }
    std::int64_t rounds = 0;
    for (std::int64_t factor = std::min(left, room); factor >= 1;) {
      rounds = CeilDiv(left, factor);
      factors.push_back(CeilDiv(left, rounds));
      factor = factors.back() - 1;
    }
    return factors;
  }

  std::int64_t Rounds(const Unrolled& u, Dimension dimension) const {
    return CeilDiv(extent_[At(dimension)], u[dimension]);
  }
  std::int64_t PositionRounds(const Unrolled& u) const {
    if (u[Dimension::kX] > 1) return group_.n * Rounds(u, Dimension::kX);
    return group_.n * Rounds(u, Dimension::kP) * Rounds(u, Dimension::kQ);
  }

  void Consider(const Unrolled& u) {
    ++unrollings_;
    const std::int64_t groups = Rounds(u, Dimension::kG);
    const std::int64_t taps = Rounds(u, Dimension::kR) * Rounds(u, Dimension::kS);
    const std::int64_t tiles = Rounds(u, Dimension::kK) * groups;
    const std::int64_t reductions = Rounds(u, Dimension::kC) * taps;
    const std::int64_t positions = PositionRounds(u);
    const std::int64_t cycles = tiles * reductions * positions;
    if (cycles > best_time_) return;
    ArrayMapping mapping{.cycles = cycles};
    if (a_.dataflow == Dataflow::kOutputStationary) {
      mapping.passes = tiles * positions;
      return OutputsStay(u, mapping);
    }
    mapping.passes = tiles * reductions;
    WeightsStay(u, taps, mapping);
  }

  void OutputsStay(const Unrolled& u, ArrayMapping mapping) {
    const std::int64_t macs = group_.Macs() * groups_;
    mapping.inputs_read = macs / group_.k * Rounds(u, Dimension::kK);
    mapping.weights_read = group_.Weights() * groups_ * PositionRounds(u);
    mapping.sums_written = group_.Outputs() * groups_;
    mapping.element_pj = StorePerMac(u) * static_cast<double>(macs);
    Price(mapping);
  }

  // Tries what an element can keep: c0 inputs and k0 outputs of its share in turn, with all taps of
  // the kernel or one at a time.
  void WeightsStay(const Unrolled& u, std::int64_t taps, const ArrayMapping& mapping) {
    const std::int64_t c_inside = u.Inside(Dimension::kC);
    const std::int64_t k_inside = u.Inside(Dimension::kK);
    const std::int64_t share = c_inside * k_inside;
    bool taps_fit = false;
    for (const std::int64_t c0 : TileSizes(Rounds(u, Dimension::kC))) {
      if (a_.inputs.words < c0 * c_inside * taps) continue;
      for (const std::int64_t k0 : TileSizes(Rounds(u, Dimension::kK))) {
        if (a_.sums.words < k0 * k_inside || a_.weights.words < k0 * c0 * share * taps) continue;
        taps_fit = true;
        KeepWindow(u, {k0, c0}, mapping);
        break;  // fewer outputs would only read the inputs more often
      }
    }
    if (!taps_fit) KeepNothing(u, mapping);
  }

  struct Kept {
    std::int64_t k, c;
  };

  // A window slides along the rows; side by side lie as many columns as fit.
  void KeepWindow(const Unrolled& u, const Kept& kept, ArrayMapping mapping) {
    const std::int64_t rows_kept = Rounds(u, Dimension::kR);
    const std::int64_t columns_kept =
        a_.inputs.words / (kept.c * u.Inside(Dimension::kC) * rows_kept);
    const std::int64_t step = std::min(group_.stride, group_.s);
    const std::int64_t more =
        std::max<std::int64_t>(0, (columns_kept - Rounds(u, Dimension::kS)) / step);
    const std::int64_t width = std::min(group_.q, u[Dimension::kQ] * (1 + more));
    const std::int64_t strips = CeilDiv(group_.q, width);
    const std::int64_t columns = (group_.q - strips) * step + strips * group_.s;
    const std::int64_t k_rounds = CeilDiv(Rounds(u, Dimension::kK), kept.k);
    const std::int64_t c_rounds = CeilDiv(Rounds(u, Dimension::kC), kept.c);
    const std::int64_t once = groups_ * group_.n * group_.c * group_.Rows(group_.p) * columns;
    mapping.inputs_read = once * k_rounds;
    mapping.sums_written = group_.Outputs() * groups_ * c_rounds;
    mapping.sums_read = mapping.sums_written - group_.Outputs() * groups_;
    // Each input goes to all elements that need it: those of other outputs, and of other taps.
    const double copies =
        static_cast<double>(u.Outside(Dimension::kK) * u[Dimension::kS] * u[Dimension::kQ]) /
        static_cast<double>((u[Dimension::kQ] - 1) * step + u[Dimension::kS]);
    mapping.element_pj = StorePerMac(u) * static_cast<double>(group_.Macs() * groups_) +
                         a_.inputs.write_pj * copies * static_cast<double>(mapping.inputs_read);
    Finish(u, mapping);
  }

  void KeepNothing(const Unrolled& u, ArrayMapping mapping) {
    const std::int64_t macs = group_.Macs() * groups_;
    const std::int64_t reductions =
        Rounds(u, Dimension::kC) * Rounds(u, Dimension::kR) * Rounds(u, Dimension::kS);
    mapping.inputs_read = macs / group_.k * Rounds(u, Dimension::kK);
    mapping.sums_written = group_.Outputs() * groups_ * reductions;
    mapping.sums_read = mapping.sums_written - group_.Outputs() * groups_;
    mapping.element_pj = StorePerMac(u) * static_cast<double>(macs);
    Finish(u, mapping);
  }

  void Finish(const Unrolled& u, ArrayMapping mapping) {
    mapping.weights_read = group_.Weights() * groups_;
    mapping.weight_copies = u[Dimension::kP] * u[Dimension::kQ] * u[Dimension::kX];
    Price(mapping);
  }

  // The stores of an element at each multiplication.
  double StorePerMac(const Unrolled& u) const {
    const auto shared = [](double pj, std::int64_t by) { return pj / static_cast<double>(by); };
    return shared(a_.inputs.read_pj, u.Inside(Dimension::kK)) + a_.weights.read_pj +
           shared(a_.sums.read_pj + a_.sums.write_pj, u.Inside(Dimension::kC));
  }

  void Price(ArrayMapping mapping) {
    for (const SharedBuffer& buffer : a_.buffers) {
      const std::int64_t read = (buffer.holds_inputs ? mapping.inputs_read : 0) +
                                (buffer.holds_weights ? mapping.weights_read : 0) +
                                (buffer.holds_sums ? mapping.sums_read : 0);
      const std::int64_t written = buffer.holds_sums ? mapping.sums_written : 0;
      mapping.buffer_pj += buffer.read_pj * static_cast<double>(read) +
                           buffer.write_pj * static_cast<double>(written);
      if (buffer.words_per_cycle == 0) continue;
      const auto busiest = static_cast<double>(std::max(read, written));
      mapping.buffer_cycles = std::max(mapping.buffer_cycles,
                                       static_cast<std::int64_t>(busiest / buffer.words_per_cycle));
    }
    const std::int64_t time = std::max(mapping.cycles, mapping.buffer_cycles);
    const double energy = mapping.element_pj + mapping.buffer_pj;
    if (time > best_time_ || (time == best_time_ && energy >= best_energy_)) return;
    best_time_ = time;
    best_energy_ = energy;
    best_ = mapping;
  }

  const ArrayAccelerator& a_;
  const LayerShape group_;
  const std::int64_t groups_;
  const bool rows_stay_ = a_.dataflow == Dataflow::kRowStationary;
  std::vector<ArrayAxis> axes_ = a_.array;
  PerDimension extent_{};
  std::array<bool, kDimensions> padded_{};
  int unrollings_ = 0;
  ArrayMapping best_;
  std::int64_t best_time_ = std::numeric_limits<std::int64_t>::max();
  double best_energy_ = std::numeric_limits<double>::infinity();
};

}  // namespace

ArrayMapping BestArrayMapping(const ArrayAccelerator& accelerator, const LayerShape& shape) {
  return Search(accelerator, shape).Best();
}

namespace {

double Words(std::int64_t words) { return static_cast<double>(words); }

// What the way through the buffers adds to the energy of the array's own accesses.
void AddFilling(const ArrayAccelerator& a, const ArrayMapping& mapping, const MemoryTiling& tiling,
                EnergyByLevel& energy) {
  energy.element_pj += a.weights.write_pj * Words(tiling.weights_read * mapping.weight_copies);
  for (const SharedBuffer& buffer : a.buffers) {
    if (buffer.holds_inputs) energy.buffer_pj += buffer.write_pj * Words(tiling.inputs_read);
    if (buffer.holds_weights)
      energy.buffer_pj +=
          buffer.write_pj * Words(tiling.weights_read) +
          buffer.read_pj * Words(mapping.weights_read * (tiling.position_tiles - 1));
    if (buffer.holds_sums) energy.buffer_pj += buffer.read_pj * Words(tiling.outputs_written);
  }
}

// The slowest of the three, rounded up to a nanosecond.
void SetLatency(const ArrayAccelerator& a, std::int64_t array_cycles, std::int64_t buffer_cycles,
                LayerCost& cost) {
  const double array_ns = static_cast<double>(array_cycles) / a.clock_ghz;
  const double buffer_ns = static_cast<double>(buffer_cycles) / a.clock_ghz;
  const double memory_ns = static_cast<double>(cost.DramBytes()) / a.dram_gb_per_s;
  const double slowest = std::max({array_ns, buffer_ns, memory_ns});
  cost.latency = Duration{static_cast<std::int64_t>(std::ceil(slowest))};
  cost.bound = slowest == array_ns    ? Bound::kArithmetic
               : slowest == buffer_ns ? Bound::kBuffer
                                      : Bound::kMemory;
}

LayerCost CostOfVectorOperator(const ArrayAccelerator& a, const LayerShape& shape) {
  LayerCost cost;
  cost.dram_read_bytes = CeilDiv(a.word_bits * shape.Inputs(), 8);
  cost.dram_write_bytes = CeilDiv(a.word_bits * shape.Outputs(), 8);
  cost.energy.arithmetic_pj = a.vector_pj * Words(shape.Operations());
  cost.energy.dram_pj = a.dram_pj_per_byte * Words(cost.DramBytes());
  SetLatency(a, CeilDiv(shape.Operations(), a.vector_lanes), 0, cost);
  return cost;
}

}  // namespace

std::int64_t ArrayAccelerator::MacsPerCycle() const {
  std::int64_t macs = 1;
  for (const ArrayAxis& axis : array) macs *= axis.size;
  return macs;
}

LayerCost CostOn(const ArrayAccelerator& a, const LayerShape& shape) {
  if (!shape.Multiplies()) return CostOfVectorOperator(a, shape);
  const ArrayMapping mapping = BestArrayMapping(a, shape);
  const MemoryTiling tiling = BestMemoryTiling(a, shape);
  LayerCost cost;
  cost.dram_read_bytes = tiling.ReadBytes(a);
  cost.dram_write_bytes = tiling.WriteBytes(a);
  cost.energy = {.arithmetic_pj = a.mac_pj * Words(shape.Macs()),
                 .element_pj = mapping.element_pj,
                 .buffer_pj = mapping.buffer_pj,
                 .dram_pj = a.dram_pj_per_byte * Words(cost.DramBytes())};
  AddFilling(a, mapping, tiling, cost.energy);
  SetLatency(a, mapping.cycles + mapping.passes * a.fill_and_drain_cycles, mapping.buffer_cycles,
             cost);
  cost.utilisation = Words(shape.Macs()) /
                     (Words(Nanoseconds(cost.latency)) * a.clock_ghz * Words(a.MacsPerCycle()));
  return cost;
}

}  // namespace fairlead
