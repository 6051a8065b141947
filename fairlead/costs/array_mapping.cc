#include "fairlead/costs/array_mapping.h"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "fairlead/base/integer.h"
#include "fairlead/costs/memory_tiling.h"

namespace fairlead {
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

}  // namespace fairlead
