// Objects of scheduling/input_fields.h as JSON, keys in the order of their meaning.
#pragma once

#include <concepts>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "fairlead/base/id.h"
#include "fairlead/base/time.h"
#include "fairlead/scheduling/input_fields.h"

namespace fairlead {

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
