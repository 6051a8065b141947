#include "fairlead/running/experiment_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include "fairlead/base/units.h"

namespace fairlead {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

std::vector<double> WithoutMissing(std::vector<double> values) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  return values;
}

double MeanOfKnown(std::vector<double> values) {
  values = WithoutMissing(std::move(values));
  return values.empty() ? kMissing : EstimateMean(values).mean;
}

// Reads and computes at once. What is wrong first is kept, and everything after it is missing.
class Expression {
 public:
  Expression(std::string_view text, const ExperimentRows& rows, ExperimentRows::At at)
      : text_(text), rows_(rows), at_(std::move(at)) {}

  Result<double> Value() {
    const double value = Comparison();
    if (Peek() != '\0') Wrong("expected an operator");
    if (!wrong_.empty()) return Fail("'{}', column {}: {}", text_, wrong_at_ + 1, wrong_);
    return std::isfinite(value) ? value : kMissing;
  }

 private:
  double Wrong(std::string what) {
    if (wrong_.empty()) {
      wrong_ = std::move(what);
      wrong_at_ = place_;
    }
    place_ = text_.size();
    return kMissing;
  }
  char Peek() {
    while (place_ < text_.size() && text_[place_] == ' ') ++place_;
    return place_ < text_.size() ? text_[place_] : '\0';
  }
  bool Take(char c) {
    if (Peek() != c) return false;
    ++place_;
    return true;
  }
  void Expect(char c) {
    if (!Take(c)) Wrong(fmt::format("expected '{}'", c));
  }
  std::string_view Until(std::string_view ends) {
    const std::size_t end = std::min(text_.find_first_of(ends, place_), text_.size());
    const std::string_view part = text_.substr(place_, end - place_);
    place_ = end;
    return part;
  }

  double Comparison() {
    const double left = Sum();
    const char c = Peek();
    if (c != '<' && c != '>') return left;
    ++place_;
    const double right = Sum();
    if (std::isnan(left) || std::isnan(right)) return kMissing;
    return (c == '<' ? left < right : left > right) ? 1 : 0;
  }
  double Sum() {
    double value = Product();
    while (true) {
      if (Take('+'))
        value += Product();
      else if (Take('-'))
        value -= Product();
      else
        return value;
    }
  }
  double Product() {
    double value = Factor();
    while (true) {
      if (Take('*'))
        value *= Factor();
      else if (Take('/'))
        value /= Factor();
      else
        return value;
    }
  }
  double Factor() {
    const char c = Peek();
    if (Take('-')) return -Factor();
    if (Take('(')) {
      const double value = Comparison();
      Expect(')');
      return value;
    }
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      const auto number = ParseNumber(Until(" +-*/<>(),]"));
      return number.has_value() ? *number : Wrong(number.error().message);
    }
    if (std::isalpha(static_cast<unsigned char>(c)) == 0) return Wrong("expected a value");
    const std::string_view name = Until(" +-*/<>()[],");
    if (Take('(')) return Function(name);
    return Figure(name);
  }
  double Function(std::string_view name) {
    if (name == "mean" || name == "low" || name == "high") return OverSeeds(name);
    const double one = Comparison();
    if (name == "abs") {
      Expect(')');
      return std::abs(one);
    }
    if (name != "min" && name != "max")
      return Wrong(fmt::format("there is no function '{}'", name));
    Expect(',');
    const double other = Comparison();
    Expect(')');
    return name == "min" ? std::min(one, other) : std::max(one, other);
  }
  double OverSeeds(std::string_view end) {
    const std::size_t begin = place_;
    const std::uint64_t seed = at_.seed;
    std::vector<double> values;
    for (const std::uint64_t other : rows_.seeds()) {
      place_ = begin;
      at_.seed = other;
      values.push_back(Comparison());
      if (!wrong_.empty()) return kMissing;
    }
    at_.seed = seed;
    Expect(')');
    values = WithoutMissing(std::move(values));
    if (values.empty()) return kMissing;
    const Estimate estimate = EstimateMean(values);
    if (end == "mean") return estimate.mean;
    return estimate.mean + (end == "low" ? -1 : 1) * estimate.half_width.value_or(kMissing);
  }
  double Figure(std::string_view name) {
    if (name == "x") return at_.x;
    if (!rows_.Knows(name)) return Wrong(fmt::format("no run has a figure '{}'", name));
    ExperimentRows::At at = at_;
    if (Take('[')) {
      if (const std::string_view policy = Until("@]"); !policy.empty())
        at.policy = policy.find('*') == std::string_view::npos ? policy : Best(name, policy);
      if (Take('@')) at.world = Until("]");
      Expect(']');
      if (std::ranges::find(rows_.policies(), at.policy) == rows_.policies().end())
        return Wrong(fmt::format("there is no policy '{}'", at.policy));
      if (std::ranges::find(rows_.worlds(), at.world) == rows_.worlds().end())
        return Wrong(fmt::format("there is no world '{}'", at.world));
    }
    const ExperimentRow* row = rows_.Find(at);
    return row == nullptr ? kMissing : row->Of(name);
  }
  // The policy of a pattern that has most of a figure, on average.
  std::string Best(std::string_view figure, std::string_view pattern) {
    std::string best;
    double most = -std::numeric_limits<double>::infinity();
    for (const std::string& policy : rows_.policies()) {
      if (!FitsPattern(policy, pattern)) continue;
      std::vector<double> values;
      for (const std::uint64_t seed : rows_.seeds()) {
        const ExperimentRow* row = rows_.Find({at_.world, at_.x, policy, seed});
        if (row != nullptr) values.push_back(row->Of(figure));
      }
      const double mean = MeanOfKnown(std::move(values));
      if (!(mean > most)) continue;
      most = mean;
      best = policy;
    }
    return best;
  }

  std::string_view text_;
  const ExperimentRows& rows_;
  ExperimentRows::At at_;
  std::size_t place_ = 0;
  std::string wrong_;
  std::size_t wrong_at_ = 0;
};

using Words = std::map<std::string, std::string>;

std::string Filled(std::string text, const Words& words) {
  for (const auto& [key, word] : words) {
    const std::string field = "{" + key + "}";
    for (std::size_t at = text.find(field); at != std::string::npos;
         at = text.find(field, at + word.size()))
      text.replace(at, field.size(), word);
  }
  return text;
}

// A number of one world and policy; none where no run has what it is made of.
Result<std::optional<Estimate>> EstimateOf(const NumberSpec& spec, const std::string& of,
                                           const ExperimentRows& rows, ExperimentRows::At at) {
  std::vector<double> values;
  if (spec.over == NumberSpec::Over::kSeeds) {
    ASSIGN_OR_RETURN(values, BySeed(of, rows, at));
  } else {
    for (const double x : rows.Points(at.world)) {
      at.x = x;
      ASSIGN_OR_RETURN(values.emplace_back(), Evaluate(of, rows, at));
    }
  }
  values = WithoutMissing(std::move(values));
  if (values.empty()) return std::optional<Estimate>();
  if (spec.over != NumberSpec::Over::kCount) return std::optional(EstimateMean(values));
  const auto count = std::ranges::count_if(values, [](double value) { return value != 0; });
  return std::optional(
      Estimate{.count = 1, .mean = static_cast<double>(count), .half_width = std::nullopt});
}

Status AddNumber(const NumberSpec& spec, const ExperimentRows& rows, Words words,
                 ExperimentResults& results) {
  static const std::vector<Words> kOnce(1);
  for (const Words& with : spec.with.empty() ? kOnce : spec.with) {
    for (const auto& [key, word] : with) words[key] = word;
    ExperimentRows::At at{.world = words["world"], .policy = words["policy"]};
    if (!rows.seeds().empty()) at.seed = *rows.seeds().begin();
    ASSIGN_OR_RETURN(const auto estimate,
                     EstimateOf(spec, Filled(spec.of, words), rows, std::move(at)));
    if (estimate.has_value()) results.numbers.push_back({Filled(spec.name, words), *estimate});
  }
  return {};
}

// "figure/world/policy" of everything there is; parts without a name are left out.
void AddAllNumbers(const ExperimentRows& rows, ExperimentResults& results) {
  std::vector<std::pair<std::string, std::vector<double>>> all;
  for (const ExperimentRow& row : rows.all()) {
    for (const auto& [figure, values] : row.figures) {
      std::string name = figure;
      if (!row.world.empty()) name += "/" + row.world;
      if (!row.policy.empty()) name += "/" + row.policy;
      auto found = std::ranges::find(all, name, [](const auto& one) { return one.first; });
      if (found == all.end()) found = all.insert(all.end(), {name, {}});
      found->second.push_back(values.front());
    }
  }
  for (const auto& [name, values] : all) results.numbers.push_back({name, EstimateMean(values)});
}

}  // namespace

double ExperimentRow::Of(std::string_view figure) const {
  const auto found = std::ranges::find(figures, figure, [](const auto& one) { return one.first; });
  return found == figures.end() || found->second.empty() ? kMissing : found->second.front();
}

ExperimentRows::ExperimentRows(const ExperimentGrid& grid, std::vector<ExperimentRow> rows)
    : rows_(std::move(rows)) {
  for (const ExperimentWorld& world : grid.worlds) worlds_.push_back(world.name);
  for (const Contestant& policy : grid.policies) policies_.push_back(policy.name);
  const auto keep = [](std::vector<std::string>& names, const std::string& name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const ExperimentRow& row = rows_[i];
    keep(worlds_, row.world);
    keep(policies_, row.policy);
    seeds_.insert(row.seed);
    for (const auto& [name, values] : row.figures) figures_.insert(name);
    index_.emplace(At{row.world, row.x, row.policy, row.seed}, i);
  }
}

const ExperimentRow* ExperimentRows::Find(const At& at) const {
  const auto found = index_.find(at);
  return found == index_.end() ? nullptr : &rows_[found->second];
}

std::vector<double> ExperimentRows::Points(std::string_view world) const {
  std::set<double> points;
  for (const ExperimentRow& row : rows_) {
    if (row.world == world) points.insert(row.x);
  }
  return {points.begin(), points.end()};
}

Result<double> Evaluate(std::string_view expression, const ExperimentRows& rows,
                        const ExperimentRows::At& at) {
  return Expression(expression, rows, at).Value();
}

Result<std::vector<double>> BySeed(std::string_view expression, const ExperimentRows& rows,
                                   ExperimentRows::At at) {
  std::vector<double> values;
  const std::vector<double> points = rows.Points(at.world);
  for (const std::uint64_t seed : rows.seeds()) {
    at.seed = seed;
    std::vector<double> there;
    for (const double x : points) {
      at.x = x;
      ASSIGN_OR_RETURN(there.emplace_back(), Evaluate(expression, rows, at));
    }
    values.push_back(MeanOfKnown(std::move(there)));
  }
  return WithoutMissing(std::move(values));
}

Status AddNumbers(const std::vector<NumberSpec>& specs, const ExperimentRows& rows,
                  ExperimentResults& results) {
  if (specs.empty()) AddAllNumbers(rows, results);
  for (const NumberSpec& spec : specs) {
    const auto names = [&spec](std::string_view field, const std::vector<std::string>& all,
                               const std::vector<std::string>& patterns) {
      std::vector<std::string> fitting;
      for (const std::string& name : all) {
        if (FitsPatterns(name, patterns)) fitting.push_back(name);
      }
      const bool one = spec.name.find(field) == std::string::npos;
      if (fitting.empty() || one) fitting.resize(1);
      return fitting;
    };
    for (const std::string& world : names("{world}", rows.worlds(), spec.worlds)) {
      for (const std::string& policy : names("{policy}", rows.policies(), spec.policies))
        RETURN_IF_ERROR(AddNumber(spec, rows, {{"world", world}, {"policy", policy}}, results));
    }
  }
  return {};
}

}  // namespace fairlead
