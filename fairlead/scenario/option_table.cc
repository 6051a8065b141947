#include "fairlead/scenario/option_table.h"

#include <limits>

#include "fairlead/base/units.h"
#include "fairlead/scenario/split.h"

namespace fairlead {
namespace {

// The default is a sample too, and is known only once the option is bound.
BoundOption WithDefault(BoundOption option) {
  option.info.default_value = option.text();
  std::vector<std::string>& samples = option.info.samples;
  if (std::ranges::find(samples, option.info.default_value) == samples.end())
    samples.insert(samples.begin(), option.info.default_value);
  return option;
}

}  // namespace

BoundOption IndexedWordOption(std::string_view key, std::string_view sentence,
                              std::vector<std::string_view> words,
                              std::function<void(std::size_t)> set,
                              std::function<std::size_t()> get) {
  OptionInfo info{.key = key,
                  .sentence = sentence,
                  .values = fmt::format("{}", fmt::join(words, "|")),
                  .default_value = {},
                  .samples = {words.begin(), words.end()}};
  return WithDefault({.info = std::move(info),
                      .set = [words, set = std::move(set)](std::string_view text) -> Status {
                        const auto found = std::ranges::find(words, text);
                        if (found == words.end()) return Fail("{}", Suggest(text, words));
                        set(static_cast<std::size_t>(found - words.begin()));
                        return {};
                      },
                      .text = [words, get = std::move(get)] { return std::string(words[get()]); }});
}

BoundOption WordOrFileOption(std::string_view key, std::string_view sentence, std::string& member,
                             const std::vector<std::string_view>& words) {
  OptionInfo info{.key = key,
                  .sentence = sentence,
                  .values = fmt::format("{}|FILE", fmt::join(words, "|")),
                  .default_value = {},
                  .samples = {words.begin(), words.end()}};
  return WithDefault({.info = std::move(info),
                      .set = [&member](std::string_view text) -> Status {
                        if (text.empty()) return Fail("; expected a word or a file");
                        member = text;
                        return {};
                      },
                      .text = [&member] { return member; }});
}

BoundOption NumberOption(std::string_view key, std::string_view sentence, double& member,
                         const NumberRange& range, std::vector<std::string> samples) {
  OptionInfo info{.key = key,
                  .sentence = sentence,
                  .values = fmt::format("{}..{}", range.low, range.high),
                  .default_value = {},
                  .samples = std::move(samples)};
  if (!range.unlimited.empty()) info.values += fmt::format("|{}", range.unlimited);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return WithDefault(
      {.info = std::move(info),
       .set = [&member, range](std::string_view text) -> Status {
         const bool unlimited = !range.unlimited.empty() && text == range.unlimited;
         const auto number = ParseNumber(text);
         if (!unlimited && (!number.has_value() || *number < range.low || *number > range.high)) {
           return range.unlimited.empty()
                      ? Fail("; expected a number from {} to {}", range.low, range.high)
                      : Fail("; expected a number from {} to {}, or {}", range.low, range.high,
                             range.unlimited);
         }
         member = unlimited ? kInfinity : *number;
         return {};
       },
       .text =
           [&member, range] {
             return member == kInfinity ? std::string(range.unlimited) : fmt::format("{}", member);
           }});
}

BoundOption CountOption(std::string_view key, std::string_view sentence, std::size_t& member,
                        const CountRange& range, std::vector<std::string> samples) {
  return WithDefault(
      {.info = {.key = key,
                .sentence = sentence,
                .values = fmt::format("{}..{}", range.low, range.high),
                .default_value = {},
                .samples = std::move(samples)},
       .set = [&member, range](std::string_view text) -> Status {
         const auto count = ParseInteger(text);
         if (!count.has_value() || *count < 0 || static_cast<std::size_t>(*count) < range.low ||
             static_cast<std::size_t>(*count) > range.high)
           return Fail("; expected a whole number from {} to {}", range.low, range.high);
         member = static_cast<std::size_t>(*count);
         return {};
       },
       .text = [&member] { return fmt::format("{}", member); }});
}

BoundOption DurationOption(std::string_view key, std::string_view sentence, Duration& member,
                           Duration longest, std::vector<std::string> samples) {
  return WithDefault(
      {.info = {.key = key,
                .sentence = sentence,
                .values = fmt::format("none|1ns..{}", FormatDuration(longest)),
                .default_value = {},
                .samples = std::move(samples)},
       .set = [&member, longest](std::string_view text) -> Status {
         const auto time = text == "none" ? Duration{} : ParseDuration(text);
         if (!time.has_value() || *time > longest)
           return Fail("; expected none, or a time up to {} such as 10ms", FormatDuration(longest));
         member = *time;
         return {};
       },
       .text =
           [&member] {
             return member == Duration{} ? std::string("none") : FormatDuration(member);
           }});
}

BoundOption FileOption(std::string_view key, std::string_view sentence, std::string& member,
                       std::string_view carried) {
  return WithDefault(
      {.info = {.key = key,
                .sentence = sentence,
                .values = fmt::format("FILE|{}", carried),
                .default_value = {},
                .samples = {}},
       .set = [&member, carried](std::string_view text) -> Status {
         if (text.empty()) return Fail("; expected a file, or {}", carried);
         member = text == carried ? std::string() : std::string(text);
         return {};
       },
       .text = [&member, carried] { return member.empty() ? std::string(carried) : member; }});
}

Status SetOptions(const OptionTable& table, std::string_view owner, std::string_view text) {
  std::vector<std::string_view> keys;
  for (const BoundOption& option : table) keys.push_back(option.info.key);
  std::vector<std::string_view> seen;
  for (std::string_view part : SplitAt(text, ';')) {
    const std::size_t equals = part.find('=');
    const std::string_view key = part.substr(0, equals);
    const auto found = std::ranges::find(keys, key);
    if (equals == std::string_view::npos && found != keys.end())
      return Fail("option '{0}' of {1} has no value: write {0}=...", key, owner);
    if (found == keys.end())
      return Fail("{} has no option '{}'{}", owner, part, Suggest(key, keys));
    if (std::ranges::find(seen, key) != seen.end())
      return Fail("option '{}' of {} stands twice", key, owner);
    seen.push_back(key);
    const std::string_view value = part.substr(equals + 1);
    const auto& option = table[static_cast<std::size_t>(found - keys.begin())];
    if (const Status status = option.set(value); !status.has_value())
      return Fail("option '{}' of {} cannot be '{}'{}", key, owner, value, status.error().message);
  }
  return {};
}

std::string OptionsText(const OptionTable& table) {
  std::string text;
  for (const BoundOption& option : table) {
    const std::string value = option.text();
    if (value == option.info.default_value) continue;
    if (!text.empty()) text += ';';
    text += fmt::format("{}={}", option.info.key, value);
  }
  return text;
}

}  // namespace fairlead
