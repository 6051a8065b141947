// Strict reading of YAML: every key must be known, every value must have its type, unit and range,
// and every complaint names file, line, column and the nearest valid key.
//
// This header hides yaml-cpp; only yaml_reader.cc includes it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"
#include "fairlead/base/time.h"

namespace fairlead {

struct ConfigEntry;

// A value that takes the place of what a document says, or is added to it: "platform.bandwidth" and
// "16GB/s". The key is a path; in a list a part of it is a place (from 0), the `name` or `kind` of
// an entry, or * for all of them.
struct Setting {
  std::string key;
  std::string value;  // as YAML
};

// A value in a document, with its place. Cheap to copy.
class ConfigNode {
 public:
  // Settings are put in one after the other; where what they say is wrong, their place is the
  // document's first line.
  static Result<ConfigNode> Parse(std::string_view file, const std::string& text,
                                  std::span<const Setting> settings = {});

  fairlead::Place Place() const;
  bool IsMap() const;
  bool IsList() const;
  bool IsText() const;

  Result<std::string> Text() const;              // any scalar, as it is written
  Result<std::vector<ConfigNode>> List() const;  // a single value counts as a list of one
  // The keys and values of a map, whatever they are called; no key stands twice.
  Result<std::vector<ConfigEntry>> Entries() const;
  Result<Duration> AsDuration() const;
  Result<std::int64_t> AsBandwidth() const;
  Result<double> AsRate() const;
  Result<double> AsNumber(double low, double high) const;
  Result<std::int64_t> AsInteger(std::int64_t low, std::int64_t high) const;
  Result<bool> AsBoolean() const;  // true or false
  // A word among the given ones, as its position.
  Result<std::size_t> AsOneOf(std::span<const std::string_view> words) const;

  // An error about this value: "file:line:column: key: what".
  tl::unexpected<Error> Wrong(std::string_view what) const;

 private:
  friend class ConfigMap;
  // Of these keys alone; of all if there are none.
  Result<std::vector<ConfigEntry>> Entries(std::span<const std::string_view> allowed) const;

  struct Data;
  std::shared_ptr<const Data> data_;
};

struct ConfigEntry {
  std::string key;
  Place place;  // of the key
  ConfigNode value;
};

// A map whose keys are all known. The Read functions leave `out` alone when the key is missing.
class ConfigMap {
 public:
  // Fails when the value is no map, or a key is unknown or stands twice.
  static Result<ConfigMap> Open(const ConfigNode& node, const std::vector<std::string_view>& keys);

  fairlead::Place Place() const { return node_.Place(); }
  bool Has(std::string_view key) const { return Find(key).has_value(); }
  std::optional<ConfigNode> Find(std::string_view key) const;
  Result<ConfigNode> Require(std::string_view key) const;

  Status ReadDuration(std::string_view key, Duration& out,
                      Duration longest = kLongestDuration) const;
  Status ReadInstant(std::string_view key, Instant& out) const;
  Status ReadNumber(std::string_view key, double& out, double low, double high) const;
  Status ReadInteger(std::string_view key, int& out, int low, int high) const;
  Status ReadInteger(std::string_view key, std::int64_t& out, std::int64_t low,
                     std::int64_t high) const;
  Status ReadBoolean(std::string_view key, bool& out) const;
  Status ReadText(std::string_view key, std::string& out) const;  // not empty
  Status ReadTexts(std::string_view key, std::vector<std::string>& out) const;

 private:
  ConfigNode node_;
  std::vector<std::string> keys_;
  std::vector<ConfigNode> values_;
};

}  // namespace fairlead
