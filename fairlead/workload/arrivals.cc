#include "fairlead/workload/arrivals.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

#include "fairlead/base/check.h"

namespace fairlead {

std::vector<std::size_t> Apportion(std::span<const double> weights, std::size_t seats) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  CHECK(total > 0);
  std::vector<std::size_t> given;
  std::vector<double> remainders;
  std::size_t left = seats;
  for (double weight : weights) {
    const double quota = static_cast<double>(seats) * weight / total;
    // A quota that is whole but for rounding errors is taken as whole.
    const double whole = std::min(std::floor(quota + 1e-9), static_cast<double>(left));
    given.push_back(static_cast<std::size_t>(whole));
    remainders.push_back(quota - whole);
    left -= given.back();
  }
  while (left > 0) {
    const auto largest = std::ranges::max_element(remainders);  // the first among equals
    ++given[static_cast<std::size_t>(largest - remainders.begin())];
    *largest -= 1;
    --left;
  }
  return given;
}

std::vector<double> DealByZipf(std::span<const double> values, std::size_t count, double exponent,
                               RandomStream& random) {
  std::vector<double> weights;
  for (std::size_t rank = 1; rank <= values.size(); ++rank)
    weights.push_back(std::pow(static_cast<double>(rank), -exponent));
  const std::vector<std::size_t> counts = Apportion(weights, count);
  std::vector<double> dealt;
  dealt.reserve(count);
  for (std::size_t i = 0; i < values.size(); ++i) dealt.insert(dealt.end(), counts[i], values[i]);
  for (std::size_t i = dealt.size(); i > 1; --i) std::swap(dealt[i - 1], dealt[random.Below(i)]);
  return dealt;
}

namespace {

template <typename... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};
template <typename... Visitors>
Overloaded(Visitors...) -> Overloaded<Visitors...>;  // clang 16 does not deduce aggregates

Duration Rounded(double nanoseconds) {
  const auto longest = static_cast<double>(Nanoseconds(kLongestDuration));
  if (!(nanoseconds < longest)) return kLongestDuration;
  return Duration{std::llround(nanoseconds)};
}

constexpr int kMostSpells = 10'000;

double InNanoseconds(Duration duration) { return static_cast<double>(duration.count()); }

class Pareto final : public ArrivalProcess {
 public:
  Pareto(const ParetoArrivals& options, RandomStream random)
      : shape_(options.shape),
        scale_(InNanoseconds(options.mean_gap) * (options.shape - 1) / options.shape),
        random_(random) {}
  Duration NextGap() override { return Rounded(random_.Pareto(shape_, scale_)); }

 private:
  double shape_;
  double scale_;
  RandomStream random_;
};

class Poisson final : public ArrivalProcess {
 public:
  Poisson(const PoissonArrivals& options, RandomStream random)
      : mean_gap_(InNanoseconds(options.mean_gap)), random_(random) {}
  Duration NextGap() override { return Rounded(random_.Exponential(mean_gap_)); }

 private:
  double mean_gap_;
  RandomStream random_;
};

class Bursty final : public ArrivalProcess {
 public:
  Bursty(const BurstyArrivals& options, RandomStream random)
      : busy_{.mean_spell = InNanoseconds(options.mean_busy)},
        quiet_{.mean_spell = InNanoseconds(options.mean_quiet)},
        random_(random) {
    const double busy_share = busy_.mean_spell / (busy_.mean_spell + quiet_.mean_spell);
    const double quiet_over_busy = 1 / options.rate_ratio;
    busy_.rate =
        1 / (InNanoseconds(options.mean_gap) * (busy_share + (1 - busy_share) * quiet_over_busy));
    quiet_.rate = busy_.rate * quiet_over_busy;
    state_ = random_.Uniform() < busy_share ? &busy_ : &quiet_;
    spell_left_ = random_.Exponential(state_->mean_spell);
  }
  Bursty(const Bursty&) = delete;  // state_ points into this object
  Bursty& operator=(const Bursty&) = delete;

  Duration NextGap() override {
    const auto longest = static_cast<double>(Nanoseconds(kLongestDuration));
    double passed = 0;
    while (passed < longest) {
      // What is left of an exponential gap when the state changes is forgotten, as it may be.
      const double gap = state_->rate > 0 ? random_.Exponential(1 / state_->rate) : longest;
      if (gap <= spell_left_) {
        spell_left_ -= gap;
        passed += gap;
        break;
      }
      passed += spell_left_;
      state_ = state_ == &busy_ ? &quiet_ : &busy_;
      spell_left_ = random_.Exponential(state_->mean_spell);
    }
    return Rounded(passed);
  }

 private:
  struct State {
    double mean_spell = 0;
    double rate = 0;  // per nanosecond
  };
  State busy_;
  State quiet_;
  RandomStream random_;
  const State* state_;
  double spell_left_;
};

class Periodic final : public ArrivalProcess {
 public:
  Periodic(const PeriodicArrivals& options, RandomStream random)
      : options_(options), random_(random) {
    // As if a request without jitter had come one period before the first.
    to_next_ = RandomBelow(options.period);
  }
  Duration NextGap() override {
    const Duration jitter = RandomBelow(options_.jitter);
    const Duration gap = to_next_ + jitter;
    to_next_ = options_.period - jitter;
    return gap;
  }

 private:
  Duration RandomBelow(Duration bound) {
    if (bound <= Duration::zero()) return Duration::zero();
    return Duration{
        static_cast<std::int64_t>(random_.Below(static_cast<std::uint64_t>(bound.count())))};
  }

  PeriodicArrivals options_;
  RandomStream random_;
  Duration to_next_;  // from the last request to the next one's time before jitter
};

Status CheckGap(std::string_view what, Duration gap) {
  if (gap <= Duration::zero()) return Fail("{} must be positive", what);
  if (gap > kLongestDuration) return Fail("{} is too long", what);
  return {};
}

}  // namespace

Status CheckArrivals(const ArrivalOptions& options) {
  return std::visit(
      Overloaded{
          [](const ParetoArrivals& pareto) -> Status {
            if (!(pareto.shape > 1) || !std::isfinite(pareto.shape))
              return Fail("shape is {}; expected more than 1", pareto.shape);
            return CheckGap("mean gap", pareto.mean_gap);
          },
          [](const PoissonArrivals& poisson) { return CheckGap("mean gap", poisson.mean_gap); },
          [](const BurstyArrivals& bursty) -> Status {
            if (!(bursty.rate_ratio >= 1))
              return Fail("rate ratio is {}; expected 1 or more", bursty.rate_ratio);
            RETURN_IF_ERROR(CheckGap("mean busy spell", bursty.mean_busy));
            RETURN_IF_ERROR(CheckGap("mean quiet spell", bursty.mean_quiet));
            // Drawing a gap walks through the spells that it spans.
            if (bursty.mean_gap / kMostSpells > bursty.mean_busy + bursty.mean_quiet)
              return Fail("spells are too short; a gap spans more than {} of them", kMostSpells);
            return CheckGap("mean gap", bursty.mean_gap);
          },
          [](const PeriodicArrivals& periodic) -> Status {
            if (periodic.jitter < Duration::zero() || periodic.jitter > periodic.period)
              return Fail("jitter must lie between 0 and the period");
            return CheckGap("period", periodic.period);
          }},
      options);
}

double MeanRate(const ArrivalOptions& options) {
  const auto gap =
      std::visit(Overloaded{[](const PeriodicArrivals& periodic) { return periodic.period; },
                            [](const auto& other) { return other.mean_gap; }},
                 options);
  return 1 / Seconds(gap);
}

ArrivalOptions AtRate(ArrivalOptions options, double requests_per_second) {
  CHECK(requests_per_second > 0);
  const Duration gap = std::max(Rounded(1e9 / requests_per_second), Duration{1});
  std::visit(Overloaded{[gap](PeriodicArrivals& periodic) {
                          const double stretch =
                              InNanoseconds(gap) / InNanoseconds(periodic.period);
                          periodic.jitter =
                              std::min(Rounded(InNanoseconds(periodic.jitter) * stretch), gap);
                          periodic.period = gap;
                        },
                        [gap](auto& other) { other.mean_gap = gap; }},
             options);
  return options;
}

std::unique_ptr<ArrivalProcess> MakeArrivals(const ArrivalOptions& options, RandomStream random) {
  CHECK(CheckArrivals(options).has_value());
  using Process = std::unique_ptr<ArrivalProcess>;
  return std::visit(
      Overloaded{
          [&](const ParetoArrivals& o) -> Process { return std::make_unique<Pareto>(o, random); },
          [&](const PoissonArrivals& o) -> Process { return std::make_unique<Poisson>(o, random); },
          [&](const BurstyArrivals& o) -> Process { return std::make_unique<Bursty>(o, random); },
          [&](const PeriodicArrivals& o) -> Process {
            return std::make_unique<Periodic>(o, random);
          }},
      options);
}

std::string StreamName(std::string_view use, std::string_view tenant, std::string_view network) {
  return fmt::format("{}/tenant={}/network={}", use, tenant, network);
}

}  // namespace fairlead
