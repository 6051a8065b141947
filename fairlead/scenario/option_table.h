// Options as people write them, "drop=early;wait=never", bound to the members of a struct.
//
// A table is made for one struct: each row knows its key, a sentence on it, what may be written,
// and the member that it sets. The default of an option is what the member holds when the row is
// made, so that the struct's own initialisers are the only place that states defaults; parsing,
// help and tests over all values read the same row.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/base/time.h"

namespace fairlead {

// What there is to say about an option.
struct OptionInfo {
  std::string_view key;
  std::string_view sentence;
  std::string values;                // what may be written: "none|early", "1..4096"
  std::string default_value;         // empty: what stands there depends on the run
  std::vector<std::string> samples;  // all words; of a range a few values, the default among them
};

struct BoundOption {
  OptionInfo info;
  std::function<Status(std::string_view)> set;  // an error says what was expected: "; expected ..."
  std::function<std::string()> text;            // the value as the shortest text that sets it
};

using OptionTable = std::vector<BoundOption>;

// One of some words. By number: `set` and `get` translate to and from a member.
BoundOption IndexedWordOption(std::string_view key, std::string_view sentence,
                              std::vector<std::string_view> words,
                              std::function<void(std::size_t)> set,
                              std::function<std::size_t()> get);

// One of some words, each paired with its value.
template <typename Value>
BoundOption WordOption(std::string_view key, std::string_view sentence, Value& member,
                       const std::vector<std::pair<std::string_view, Value>>& words) {
  std::vector<std::string_view> names;
  std::vector<Value> values;
  for (const auto& [name, value] : words) {
    names.push_back(name);
    values.push_back(value);
  }
  return IndexedWordOption(
      key, sentence, std::move(names), [&member, values](std::size_t i) { member = values[i]; },
      [&member, values] {
        return static_cast<std::size_t>(std::ranges::find(values, member) - values.begin());
      });
}

// One of some words, or a file's name: written FILE.
BoundOption WordOrFileOption(std::string_view key, std::string_view sentence, std::string& member,
                             const std::vector<std::string_view>& words);

struct NumberRange {
  double low = 0;
  double high = 0;
  std::string_view unlimited;  // the word for infinity; empty: there is none
};
BoundOption NumberOption(std::string_view key, std::string_view sentence, double& member,
                         const NumberRange& range, std::vector<std::string> samples);

struct CountRange {
  std::size_t low = 0;
  std::size_t high = 0;
};
BoundOption CountOption(std::string_view key, std::string_view sentence, std::size_t& member,
                        const CountRange& range, std::vector<std::string> samples);

// Zero is written "none".
BoundOption DurationOption(std::string_view key, std::string_view sentence, Duration& member,
                           Duration longest, std::vector<std::string> samples);

// A file, or the word for the one that the program carries: then the member is empty.
BoundOption FileOption(std::string_view key, std::string_view sentence, std::string& member,
                       std::string_view carried = "shipped");

// Reads "key=value;key=value" into the struct that the table is bound to. Complaints begin with the
// option and `owner`, "policy edf-h", and name the nearest valid key or value.
Status SetOptions(const OptionTable& table, std::string_view owner, std::string_view text);

// "key=value;key=value" in the table's order, defaults left out.
std::string OptionsText(const OptionTable& table);

}  // namespace fairlead
