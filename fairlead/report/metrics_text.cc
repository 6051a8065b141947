#include "fairlead/report/metrics_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace fairlead {
namespace {

constexpr std::string_view kBlanks = " \t";

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == ':';
}

// One line, from left to right.
class MetricLine {
 public:
  explicit MetricLine(std::string_view line) : rest_(line) {}

  void SkipBlanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(kBlanks), rest_.size()));
  }
  bool Empty() const { return rest_.empty(); }
  bool Take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  // Empty: there is none.
  std::string TakeName() {
    const auto end = std::ranges::find_if_not(rest_, IsNameCharacter);
    std::string name(rest_.begin(), end);
    rest_.remove_prefix(name.size());
    return name;
  }
  std::optional<std::string> TakeQuoted() {
    if (!Take('"')) return std::nullopt;
    std::string value;
    while (!rest_.empty()) {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '"') return value;
      if (c == '\\' && !rest_.empty()) {
        value += rest_.front() == 'n' ? '\n' : rest_.front();
        rest_.remove_prefix(1);
      } else {
        value += c;
      }
    }
    return std::nullopt;
  }
  std::optional<double> TakeValue() {
    const std::string_view word = rest_.substr(0, rest_.find_first_of(kBlanks));
    rest_.remove_prefix(word.size());
    if (word == "NaN") return std::numeric_limits<double>::quiet_NaN();
    if (word == "+Inf") return std::numeric_limits<double>::infinity();
    double value = 0;
    const auto [end, wrong] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (wrong != std::errc{} || end != word.data() + word.size()) return std::nullopt;
    return value;
  }

 private:
  std::string_view rest_;
};

bool TakeLabels(MetricLine& line, MetricSample& sample) {
  while (!line.Take('}')) {
    line.SkipBlanks();
    MetricLabel label{.name = line.TakeName(), .value = {}};
    if (label.name.empty() || !line.Take('=')) return false;
    std::optional<std::string> value = line.TakeQuoted();
    if (!value.has_value()) return false;
    label.value = std::move(*value);
    sample.labels.push_back(std::move(label));
    line.SkipBlanks();
    line.Take(',');
  }
  return true;
}

std::optional<MetricSample> ReadSample(MetricLine& line) {
  MetricSample sample{.name = line.TakeName()};
  if (sample.name.empty()) return std::nullopt;
  if (line.Take('{') && !TakeLabels(line, sample)) return std::nullopt;
  line.SkipBlanks();
  const std::optional<double> value = line.TakeValue();
  if (!value.has_value()) return std::nullopt;
  sample.value = *value;
  return sample;
}

}  // namespace

std::string_view MetricSample::Label(std::string_view label) const {
  const auto found = std::ranges::find(labels, label, &MetricLabel::name);
  return found == labels.end() ? std::string_view() : std::string_view(found->value);
}

Result<std::vector<MetricSample>> ReadMetrics(std::string_view text) {
  std::vector<MetricSample> samples;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    MetricLine line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    line.SkipBlanks();
    if (line.Empty() || line.Take('#')) continue;
    std::optional<MetricSample> sample = ReadSample(line);
    if (!sample.has_value()) return Fail("line {} of the metrics cannot be read", number);
    samples.push_back(std::move(*sample));
  }
  return samples;
}

}  // namespace fairlead
