#include <cmath>
#include <limits>

#include "fairlead/sharing/mechanisms.h"

namespace fairlead {
namespace {

constexpr std::size_t kNoPlace = std::numeric_limits<std::size_t>::max();

class ProductAuction {
 public:
  explicit ProductAuction(const CountProgram& program)
      : program_(program),
        kinds_(static_cast<std::size_t>(program.kinds)),
        places_(program.worth.size() / kinds_) {}

  struct Outcome {
    std::vector<int> counts;
    std::vector<double> values;  // of each place
  };

  Outcome Run(std::size_t without) const {
    Outcome outcome{.counts = std::vector<int>(program_.worth.size()),
                    .values = std::vector<double>(places_)};
    std::vector<int> left = program_.available;
    while (true) {
      double most = 0;
      std::size_t best = kNoPlace;  // place and kind in one
      for (std::size_t i = 0; i < program_.worth.size(); ++i) {
        const std::size_t place = i / kinds_;
        if (place == without || left[i % kinds_] == 0 || program_.worth[i] <= 0) continue;
        const double gain = Gain(outcome.values[place], program_.worth[i]);
        if (gain <= most) continue;
        most = gain;
        best = i;
      }
      if (best == kNoPlace) return outcome;
      ++outcome.counts[best];
      --left[best % kinds_];
      outcome.values[best / kinds_] += program_.worth[best];
    }
  }

  // The others' product with a place, over theirs without it.
  double Kept(const Outcome& all, std::size_t place) const {
    const Outcome others = Run(place);
    double logarithm = 0;
    for (std::size_t p = 0; p < places_; ++p) {
      if (p == place || others.values[p] <= 0) continue;
      if (all.values[p] <= 0) return 0;
      logarithm += std::log(all.values[p]) - std::log(others.values[p]);
    }
    return std::min(1.0, std::exp(logarithm));
  }

  std::size_t places() const { return places_; }
  std::size_t kinds() const { return kinds_; }

 private:
  // Of the product's logarithm; who has nothing comes before all others.
  static double Gain(double value, double worth) {
    constexpr double kFirst = 1e9;
    return value > 0 ? std::log1p(worth / value) : kFirst + worth;
  }

  const CountProgram& program_;
  std::size_t kinds_;
  std::size_t places_;
};

}  // namespace

CountSolution AuctionCounts(const CountProgram& program) {
  const ProductAuction auction(program);
  const ProductAuction::Outcome all = auction.Run(kNoPlace);
  CountSolution solution{.counts = all.counts};
  for (std::size_t p = 0; p < auction.places(); ++p) {
    const double kept = auction.Kept(all, p);
    for (std::size_t i = p * auction.kinds(); i < (p + 1) * auction.kinds(); ++i)
      solution.counts[i] = static_cast<int>(std::floor(kept * all.counts[i] + 1e-9));
  }
  return solution;
}

}  // namespace fairlead
