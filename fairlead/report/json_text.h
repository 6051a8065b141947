// JSON, written as it comes: the renderer of results for scripts.
//
//   JsonText json;                                        // {
//   json.Put("policy", run.policy, "seed", run.seed);     //   "policy": "edf-h", "seed": 1,
//   json.BeginList("runs");                               //   "runs": [
//   for (...) json.Row("name", name, "share", share);     //     {"name": ..., "share": ...}
//   json.End();                                           //   ]
//   std::move(json).Finish()                              // }
//
// What is not there (an empty optional, nullptr) and numbers that are not finite are null. Texts
// may hold anything: what is not UTF-8 is replaced.
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace fairlead {

class JsonText {
 public:
  enum class Root : bool { kObject, kList };

  // Each level so many columns deeper; below 0: all on one line.
  explicit JsonText(int indent = 2, Root root = Root::kObject);

  // Keys and values in turn.
  template <typename Value, typename... More>
  void Put(std::string_view key, const Value& value, const More&... more) {
    Next(key);
    Write(value);
    if constexpr (sizeof...(more) > 0) Put(more...);
  }
  // A value of a list.
  template <typename Value>
  void Item(const Value& value) {
    Next({});
    Write(value);
  }

  // Until End. Inside a list there is no key.
  void BeginObject(std::string_view key = {}) { Begin(key, '{'); }
  void BeginList(std::string_view key = {}) { Begin(key, '['); }
  void End();

  // A whole object, under a key or in a list.
  template <typename... Fields>
  void Object(std::string_view key, const Fields&... fields) {
    BeginObject(key);
    if constexpr (sizeof...(fields) > 0) Put(fields...);
    End();
  }
  template <typename... Fields>
  void Row(const Fields&... fields) {
    Object({}, fields...);
  }

  // A text that is JSON already; an empty one is null.
  void PutJson(std::string_view key, const std::string& json);

  // With a newline at its end.
  std::string Finish() &&;

 private:
  struct Level {
    char end;
    bool empty = true;
  };

  void Begin(std::string_view key, char bracket);
  void Next(std::string_view key);
  void NewLine();

  void Write(std::nullptr_t) { text_ += "null"; }
  void Write(bool value) { text_ += value ? "true" : "false"; }
  void Write(double value);
  void Write(std::string_view value);
  void Write(const char* value) { Write(std::string_view(value)); }
  void Write(const std::string& value) { Write(std::string_view(value)); }
  template <std::integral Whole>
  void Write(Whole value) {
    text_ += std::to_string(value);
  }
  template <typename Value>
  void Write(const std::optional<Value>& value) {
    value.has_value() ? Write(*value) : Write(nullptr);
  }
  template <typename Value>
  void Write(const std::vector<Value>& values) {
    Open('[');
    for (const auto& value : values) Item(value);
    End();
  }
  void Open(char bracket);

  int indent_;
  std::string text_;
  std::vector<Level> open_;
};

// A text as JSON on its own.
std::string JsonOf(std::string_view text);

// JSON laid out anew. It must be JSON.
std::string Indented(const std::string& json, int indent = 2);

}  // namespace fairlead
