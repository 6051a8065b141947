#include "fairlead/sharing/count_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fairlead {
namespace {

constexpr std::int64_t kMostStates = 200'000;
constexpr int kOutOfReach = std::numeric_limits<int>::max() / 2;
constexpr double kAlike = 1e-12;  // relative: worths are sums of a few products

class CountSearch {
 public:
  explicit CountSearch(const CountProgram& program)
      : program_(program),
        kinds_(static_cast<std::size_t>(program.kinds)),
        places_(program.worth.size() / kinds_) {
    states_ = 1;
    for (std::size_t k = 0; k + 1 < kinds_; ++k) {
      strides_.push_back(states_);
      states_ *= static_cast<std::size_t>(program.available[k]) + 1;
    }
  }

  CountSolution Best() {
    std::vector<double> candidates = Candidates();
    CountSolution solution;
    solution.counts.assign(program_.worth.size(), 0);
    std::size_t low = 0;  // candidates before this one can be kept
    std::size_t high = candidates.size();
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (Keeps(candidates[middle], solution.counts))
        low = middle + 1;
      else
        high = middle;
    }
    return solution;
  }

 private:
  struct Option {
    std::vector<int> counts;
    std::size_t shift = 0;  // of the state
  };

  // What a place can have at all, above 0: the answer is one of these, or 0.
  std::vector<double> Candidates() const {
    std::vector<double> candidates;
    for (std::size_t p = 0; p < places_; ++p) {
      const double* worth = program_.worth.data() + p * kinds_;
      if (p > 0 && std::equal(worth, worth + kinds_, worth - kinds_)) continue;
      std::vector<double> sums = {0};
      for (std::size_t k = 0; k < kinds_; ++k) {
        const std::size_t before = sums.size();
        for (int n = 1; n <= program_.available[k]; ++n) {
          for (std::size_t i = 0; i < before; ++i) sums.push_back(sums[i] + worth[k] * n);
        }
      }
      candidates.insert(candidates.end(), sums.begin() + 1, sums.end());
    }
    std::ranges::sort(candidates);
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    std::erase(candidates, 0);
    return candidates;
  }

  // The fewest accelerators with which the place has `least`, for each number of all kinds but the
  // last.
  std::vector<Option> Options(std::size_t place, double least) const {
    const double* worth = program_.worth.data() + place * kinds_;
    std::vector<Option> options;
    Option option{.counts = std::vector<int>(kinds_)};
    AddOptions(worth, 0, least, option, options);
    return options;
  }

  void AddOptions(const double* worth, std::size_t kind, double missing, Option& option,
                  std::vector<Option>& options) const {
    const int available = program_.available[kind];
    const int enough = Enough(missing, worth[kind]);
    if (kind + 1 == kinds_) {
      if (enough > available) return;
      option.counts[kind] = enough;
      options.push_back(option);
      return;
    }
    const std::size_t shift = option.shift;
    for (int n = 0; n <= std::min(available, enough); ++n) {
      option.counts[kind] = n;
      option.shift = shift + static_cast<std::size_t>(n) * strides_[kind];
      AddOptions(worth, kind + 1, missing - worth[kind] * n, option, options);
    }
    option.shift = shift;
  }

  static int Enough(double missing, double worth) {
    if (missing <= kAlike) return 0;
    if (worth <= 0) return kOutOfReach;
    const double count = std::ceil(missing / worth - 1e-9);
    return count > kOutOfReach ? kOutOfReach : std::max(1, static_cast<int>(count));
  }

  bool Keeps(double least, std::vector<int>& counts) {
    std::vector<std::vector<Option>> options;
    for (std::size_t p = 0; p < places_; ++p) options.push_back(Options(p, least));
    const int last = program_.available[kinds_ - 1];
    fewest_.assign((places_ + 1) * states_, kOutOfReach);
    chosen_.assign(places_ * states_, 0);
    fewest_[0] = 0;
    for (std::size_t p = 0; p < places_; ++p) {
      for (std::size_t o = 0; o < options[p].size(); ++o) Extend(p, options[p][o], o, last);
    }
    const auto row = fewest_.begin() + static_cast<std::ptrdiff_t>(places_ * states_);
    const auto best = std::min_element(row, row + static_cast<std::ptrdiff_t>(states_));
    if (*best > last) return false;
    auto state = static_cast<std::size_t>(best - row);
    for (std::size_t p = places_; p-- > 0;) {
      const Option& option = options[p][chosen_[p * states_ + state]];
      std::ranges::copy(option.counts, counts.begin() + static_cast<std::ptrdiff_t>(p * kinds_));
      state -= option.shift;
    }
    return true;
  }

  void Extend(std::size_t place, const Option& option, std::size_t number, int last) {
    const int* from = fewest_.data() + place * states_;
    int* to = fewest_.data() + (place + 1) * states_;
    for (std::size_t s = 0; s < states_; ++s) {
      if (from[s] > last || !Fits(s, option)) continue;
      const int used = from[s] + option.counts[kinds_ - 1];
      if (used >= to[s + option.shift] || used > last) continue;
      to[s + option.shift] = used;
      chosen_[place * states_ + s + option.shift] = number;
    }
  }

  bool Fits(std::size_t state, const Option& option) const {
    for (std::size_t k = 0; k + 1 < kinds_; ++k) {
      const auto size = static_cast<std::size_t>(program_.available[k]) + 1;
      if (state / strides_[k] % size + static_cast<std::size_t>(option.counts[k]) >= size)
        return false;
    }
    return true;
  }

  const CountProgram& program_;
  std::size_t kinds_;
  std::size_t places_;
  std::size_t states_ = 1;
  std::vector<std::size_t> strides_;  // of each kind but the last, in a state's number
  std::vector<int> fewest_;           // of the last kind, for each place and state
  std::vector<std::size_t> chosen_;   // the option that led there
};

}  // namespace

Status CheckSearchable(const std::vector<int>& available) {
  std::int64_t states = 1;
  for (std::size_t k = 0; k + 1 < available.size(); ++k) {
    states *= available[k] + 1;
    if (states > kMostStates)
      return Fail("too many accelerators of too many kinds to search through; solver=cbc");
  }
  return {};
}

CountSolution SearchCounts(const CountProgram& program) { return CountSearch(program).Best(); }

}  // namespace fairlead
