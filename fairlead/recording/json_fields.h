// The fields of a JSON object, read strictly.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "fairlead/base/id.h"
#include "fairlead/base/result.h"
#include "fairlead/base/time.h"
#include "fairlead/scheduling/input_fields.h"

namespace fairlead {

inline Result<nlohmann::json> ParseJson(std::string_view text) {
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::exception& error) {
    return Fail("no valid JSON: {}", error.what());
  }
}

// None when it is something else.
inline std::optional<std::int64_t> WholeOf(const nlohmann::json& json, std::int64_t low,
                                           std::int64_t high) {
  if (!json.is_number_integer()) return std::nullopt;
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > INT64_MAX) return std::nullopt;
  const auto value = json.get<std::int64_t>();
  if (value < low || value > high) return std::nullopt;
  return value;
}

// Reads one JSON object strictly: a key that is missing, has another type or range, or that nobody
// asked for is an error. The first complaint is kept for Done(), so that reading goes on without a
// check after each key; what could not be read keeps its value. One of the walkers over the objects
// of scheduling/input_fields.h.
class JsonFields {
 public:
  JsonFields(const nlohmann::json& json, std::string where)
      : json_(json), where_(std::move(where)) {
    if (!json.is_object()) Complain("", "an object");
  }

  // Null when it is missing.
  const nlohmann::json* Get(std::string_view key) {
    asked_.emplace_back(key);
    if (!json_.is_object()) return nullptr;
    const auto found = json_.find(key);
    if (found != json_.end()) return &*found;
    Complain(key, "it to be there");
    return nullptr;
  }
  void Text(std::string_view key, std::string& out) {
    const nlohmann::json* value = Get(key);
    if (value != nullptr && value->is_string()) {
      out = value->get_ref<const std::string&>();
    } else {
      Complain(key, "a text");
    }
  }
  template <typename Integer>
  void Whole(std::string_view key, Integer& out, std::int64_t low, std::int64_t high) {
    const nlohmann::json* value = Get(key);
    const auto whole = value == nullptr ? std::nullopt : WholeOf(*value, low, high);
    if (!whole.has_value()) return Complain(key, Range("a whole number", low, high));
    out = static_cast<Integer>(*whole);
  }
  // An id of something; whether it exists is not asked.
  template <typename Tag>
  void Known(std::string_view key, Id<Tag>& id) {
    Whole(key, id.value, 0, UINT32_MAX - 1);
  }
  void Time(std::string_view key, Duration& out, Duration longest = kLongestDuration) {
    std::int64_t nanoseconds = 0;
    Whole(key, nanoseconds, 0, Nanoseconds(longest));
    out = Duration{nanoseconds};
  }
  // More than nothing; none where the key is missing.
  void SomeTime(std::string_view key, std::optional<Duration>& out, Duration longest) {
    if (!json_.is_object() || !json_.contains(key)) return;
    std::int64_t nanoseconds = 1;
    Whole(key, nanoseconds, 1, Nanoseconds(longest));
    out = Duration{nanoseconds};
  }
  bool Skips(std::string_view key, bool /*nothing*/) const {
    return !json_.is_object() || !json_.contains(key);
  }
  void Number(std::string_view key, double& out, double low, double high) {
    const nlohmann::json* value = Get(key);
    if (value == nullptr || !value->is_number() || !(value->get<double>() >= low) ||
        !(value->get<double>() <= high))
      return Complain(key, Range("a number", low, high));
    out = value->get<double>();
  }
  // Null stands for none.
  void Number(std::string_view key, std::optional<double>& out, double low, double high) {
    if (json_.is_object() && json_.contains(key) && json_[key].is_null()) {
      asked_.emplace_back(key);
      return;
    }
    Number(key, out.emplace(), low, high);
  }
  template <typename Enum>
  void Choice(std::string_view key, Enum& out, std::span<const std::string_view> names) {
    std::string text;
    Text(key, text);
    const auto found = std::ranges::find(names, text);
    if (found == names.end())
      return Complain(key, fmt::format("one of {}", fmt::join(names, ", ")));
    out = static_cast<Enum>(found - names.begin());
  }
  // The first where the key is missing.
  template <typename Enum>
  void SomeChoice(std::string_view key, Enum& out, std::span<const std::string_view> names) {
    if (json_.is_object() && json_.contains(key)) Choice(key, out, names);
  }
  // None where the key is missing.
  template <typename ObjectType>
  void SomeObjects(std::string_view key, std::vector<ObjectType>& out, std::int64_t most) {
    if (!json_.is_object() || !json_.contains(key)) return;
    const nlohmann::json* const list = List(key, most);
    if (list == nullptr) return;
    for (const nlohmann::json& item : *list) {
      JsonFields fields(item, Path(key));
      ObjectFields<ObjectType>::Walk(fields, out.emplace_back());
      if (Status status = fields.Done(); !status.has_value() && complaint_.empty())
        complaint_ = std::move(status).error().message;
    }
  }
  // An object inside; none where the key is missing. (Clang takes emplace() for impossible where
  // the object's class is nested in the one that holds it and has default values.)
  template <typename ObjectType>
  void Part(std::string_view key, std::optional<ObjectType>& out) {
    if (!json_.is_object() || !json_.contains(key)) return;
    out = ObjectType{};
    Inside(key, *out);
  }
  template <typename ObjectType>
  void Inside(std::string_view key, ObjectType& out) {
    const nlohmann::json* const json = Get(key);
    if (json == nullptr) return;
    JsonFields fields(*json, where_.empty() ? std::string(key) : Path(key));
    ObjectFields<ObjectType>::Walk(fields, out);
    if (Status status = fields.Done(); !status.has_value() && complaint_.empty())
      complaint_ = std::move(status).error().message;
  }
  // Null after a complaint.
  const nlohmann::json* List(std::string_view key, std::int64_t most) {
    const nlohmann::json* value = Get(key);
    if (value != nullptr && value->is_array() && static_cast<std::int64_t>(value->size()) <= most)
      return value;
    Complain(key, fmt::format("a list of at most {}", most));
    return nullptr;
  }

  void Complain(std::string_view key, std::string_view expected) {
    if (!complaint_.empty()) return;
    complaint_ = fmt::format("{}: expected {}", Path(key), expected);
  }
  Status Done() {
    for (auto it = json_.begin(); complaint_.empty() && it != json_.end(); ++it) {
      if (std::ranges::find(asked_, it.key()) == asked_.end())
        complaint_ = fmt::format("{}: unknown key", Path(it.key()));
    }
    if (!complaint_.empty()) return Fail("{}", complaint_);
    return {};
  }

 private:
  template <typename Number>
  static std::string Range(std::string_view what, Number low, Number high) {
    return fmt::format("{} from {} to {}", what, low, high);
  }
  std::string Path(std::string_view key) const {
    if (key.empty()) return where_;
    return where_.empty() ? fmt::format("'{}'", key) : fmt::format("{}.{}", where_, key);
  }

  const nlohmann::json& json_;
  std::string where_;
  std::vector<std::string_view> asked_;
  std::string complaint_;
};

template <typename ObjectType>
Status ReadObject(const nlohmann::json& json, std::string where, ObjectType& object) {
  JsonFields fields(json, std::move(where));
  ObjectFields<ObjectType>::Walk(fields, object);
  return fields.Done();
}

// Objects of scheduling/input_fields.h as JSON, keys in the order of their meaning.

using OrderedJson = nlohmann::ordered_json;

inline std::string Dump(const OrderedJson& json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

// Makes a JSON object of the fields of an object of scheduling/input_fields.h.
class JsonWriter {
 public:
  void Text(std::string_view key, const std::string& text) { Add(key, text); }
  template <typename Tag>
  void Known(std::string_view key, Id<Tag> id) {
    Add(key, id.value);
  }
  void Time(std::string_view key, Duration time, Duration /*longest*/) {
    Add(key, Nanoseconds(time));
  }
  void SomeTime(std::string_view key, std::optional<Duration> time, Duration /*longest*/) {
    if (time.has_value()) Add(key, Nanoseconds(*time));
  }
  bool Skips(std::string_view /*key*/, bool nothing) const { return nothing; }
  template <std::integral Integer>
  void Whole(std::string_view key, Integer number, std::type_identity_t<Integer> /*low*/,
             std::type_identity_t<Integer> /*high*/) {
    Add(key, number);
  }
  void Number(std::string_view key, double number, double /*low*/, double /*high*/) {
    Add(key, number);
  }
  void Number(std::string_view key, std::optional<double> number, double /*low*/, double /*high*/) {
    Add(key, number.has_value() ? OrderedJson(*number) : OrderedJson());
  }
  template <typename Enum>
  void Choice(std::string_view key, Enum value, std::span<const std::string_view> names) {
    Add(key, names[static_cast<std::size_t>(value)]);
  }
  template <typename Enum>
  void SomeChoice(std::string_view key, Enum value, std::span<const std::string_view> names) {
    if (value != Enum{}) Choice(key, value, names);
  }
  template <typename ObjectType>
  void SomeObjects(std::string_view key, const std::vector<ObjectType>& objects,
                   std::int64_t /*most*/) {
    if (objects.empty()) return;
    OrderedJson list = OrderedJson::array();
    for (const ObjectType& object : objects) {
      JsonWriter writer;
      ObjectFields<ObjectType>::Walk(writer, object);
      list.push_back(std::move(writer.json()));
    }
    Add(key, std::move(list));
  }
  template <typename ObjectType>
  void Inside(std::string_view key, const ObjectType& object) {
    JsonWriter writer;
    ObjectFields<ObjectType>::Walk(writer, object);
    Add(key, std::move(writer.json()));
  }
  template <typename ObjectType>
  void Part(std::string_view key, const std::optional<ObjectType>& part) {
    if (part.has_value()) Inside(key, *part);
  }
  OrderedJson& json() { return json_; }

 private:
  void Add(std::string_view key, OrderedJson value) {
    json_.emplace(std::string(key), std::move(value));
  }

  OrderedJson json_ = OrderedJson::object();
};

template <typename ObjectType>
OrderedJson JsonOf(const ObjectType& object) {
  JsonWriter writer;
  ObjectFields<ObjectType>::Walk(writer, object);
  return std::move(writer.json());
}

}  // namespace fairlead
