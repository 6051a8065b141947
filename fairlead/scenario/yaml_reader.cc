#include "fairlead/scenario/yaml_reader.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "fairlead/base/units.h"

namespace fairlead {

struct ConfigNode::Data {
  std::string file;
  YAML::Node node;
  std::string key;  // whose value this is, or is in a list of; empty at the top
};

namespace {

Place PlaceAt(const std::string& file, const YAML::Mark& mark) {
  if (mark.is_null()) return {file, 1, 1};
  return {file, mark.line + 1, mark.column + 1};
}

// Remembers where the last document began.
class DocumentStarts final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override { last_ = mark; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}

  const YAML::Mark& last() const { return last_; }

 private:
  YAML::Mark last_;
};

// YAML::Load reads one document and passes over the rest. (YAML::LoadAll never ends on some texts
// that are no YAML.)
std::optional<YAML::Mark> SecondDocument(const std::string& text) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  DocumentStarts starts;
  if (!parser.HandleNextDocument(starts) || !parser.HandleNextDocument(starts)) return std::nullopt;
  return starts.last();
}

// The entries of a list that a part of a key means.
Result<std::vector<YAML::Node>> EntriesMeant(const YAML::Node& list, std::string_view part) {
  std::vector<YAML::Node> meant;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const YAML::Node entry = list[i];
    std::string name = std::to_string(i);
    bool is = part == "*" || part == name;
    for (const char* key : {"name", "kind"}) {
      if (!entry.IsMap()) break;
      const YAML::Node named = entry[key];
      if (!named.IsDefined() || !named.IsScalar()) continue;
      name = named.Scalar();
      is = is || part == name;
      break;
    }
    if (is) meant.push_back(entry);
    names.push_back(std::move(name));
  }
  if (!meant.empty()) return meant;
  const std::vector<std::string_view> known(names.begin(), names.end());
  return Fail("there is no '{}' in the list{}", part, Suggest(part, known));
}

Status SetAt(YAML::Node node, std::string_view path, const YAML::Node& value) {
  const std::size_t dot = path.find('.');
  const std::string part(path.substr(0, dot));
  if (part.empty()) return Fail("expected a key such as platform.bandwidth");
  if (node.IsSequence()) {
    if (dot == std::string_view::npos)
      return Fail("'{}' is an entry of a list: name a key of it", part);
    ASSIGN_OR_RETURN(const auto entries, EntriesMeant(node, part));
    for (const YAML::Node& entry : entries)
      RETURN_IF_ERROR(SetAt(entry, path.substr(dot + 1), value));
    return {};
  }
  if (!node.IsMap()) return Fail("'{}' is a key of a single value", part);
  if (dot == std::string_view::npos) {
    node[part] = value;
    return {};
  }
  if (!node[part].IsDefined()) node[part] = YAML::Node(YAML::NodeType::Map);
  return SetAt(node[part], path.substr(dot + 1), value);
}

Status Apply(const YAML::Node& root, const Setting& setting) {
  const auto fail = [&](std::string_view what) {
    return Fail("{}={}: {}", setting.key, setting.value, what);
  };
  try {
    const YAML::Node value = YAML::Load(setting.value);
    if (value.IsNull()) return fail("expected a value");
    if (const Status set = SetAt(root, setting.key, value); !set.has_value())
      return fail(set.error().message);
  } catch (const YAML::Exception& error) {
    return fail("not valid YAML: " + error.msg);
  }
  return {};
}

}  // namespace

Result<ConfigNode> ConfigNode::Parse(std::string_view file, const std::string& text,
                                     std::span<const Setting> settings) {
  auto data = std::make_shared<Data>();
  data->file = file;
  try {
    data->node = YAML::Load(text);
    if (const auto mark = SecondDocument(text); mark.has_value())
      return FailAt(PlaceAt(data->file, *mark), "the document ends before this, but more follows");
  } catch (const YAML::Exception& error) {
    return FailAt(PlaceAt(data->file, error.mark), "not valid YAML: {}", error.msg);
  }
  if (!data->node.IsDefined() || data->node.IsNull())
    return FailAt({data->file, 1, 1}, "the file is empty; expected keys and values");
  for (const Setting& setting : settings) RETURN_IF_ERROR(Apply(data->node, setting));
  ConfigNode node;
  node.data_ = std::move(data);
  return node;
}

fairlead::Place ConfigNode::Place() const { return PlaceAt(data_->file, data_->node.Mark()); }
bool ConfigNode::IsMap() const { return data_->node.IsMap(); }
bool ConfigNode::IsList() const { return data_->node.IsSequence(); }
bool ConfigNode::IsText() const { return data_->node.IsScalar(); }

tl::unexpected<Error> ConfigNode::Wrong(std::string_view what) const {
  if (data_->key.empty()) return FailAt(Place(), "{}", what);
  return FailAt(Place(), "{}: {}", data_->key, what);
}

Result<std::string> ConfigNode::Text() const {
  if (!IsText()) return Wrong("expected a single value");
  return data_->node.Scalar();
}

Result<std::vector<ConfigNode>> ConfigNode::List() const {
  if (IsText()) return std::vector<ConfigNode>{*this};
  if (!IsList()) return Wrong("expected a list");
  std::vector<ConfigNode> list;
  for (const YAML::Node& item : data_->node) {
    ConfigNode node;
    node.data_ = std::make_shared<Data>(Data{data_->file, item, data_->key});
    list.push_back(std::move(node));
  }
  return list;
}

Result<std::vector<ConfigEntry>> ConfigNode::Entries() const { return Entries({}); }

Result<std::vector<ConfigEntry>> ConfigNode::Entries(
    std::span<const std::string_view> allowed) const {
  if (!IsMap()) return Wrong("expected keys and values");
  std::vector<ConfigEntry> entries;
  for (const auto& item : data_->node) {
    const fairlead::Place place = PlaceAt(data_->file, item.first.Mark());
    if (!item.first.IsScalar()) return FailAt(place, "expected a plain word as key");
    const std::string& key = item.first.Scalar();
    if (!allowed.empty() && std::ranges::find(allowed, key) == allowed.end())
      return FailAt(place, "unknown key '{}'{}", key, Suggest(key, allowed));
    if (std::ranges::find(entries, key, &ConfigEntry::key) != entries.end())
      return FailAt(place, "key '{}' stands twice", key);
    if (item.second.IsNull()) return FailAt(place, "key '{}' has no value", key);
    ConfigNode value;
    value.data_ = std::make_shared<Data>(Data{data_->file, item.second, key});
    entries.push_back({key, place, std::move(value)});
  }
  return entries;
}

// Reads the text of a node by one of the parsers of base/units.
template <typename T>
static Result<T> Parsed(const ConfigNode& node, Result<T> (*parse)(std::string_view)) {
  ASSIGN_OR_RETURN(const std::string text, node.Text());
  Result<T> value = parse(text);
  if (!value.has_value()) return node.Wrong(value.error().message);
  return value;
}

template <typename T>
static Result<T> InRange(const ConfigNode& node, Result<T> value, T low, T high) {
  if (value.has_value() && (*value < low || *value > high))
    return node.Wrong(fmt::format("{} is outside {} to {}", *value, low, high));
  return value;
}

Result<Duration> ConfigNode::AsDuration() const { return Parsed(*this, &ParseDuration); }
Result<std::int64_t> ConfigNode::AsBandwidth() const { return Parsed(*this, &ParseBandwidth); }
Result<double> ConfigNode::AsRate() const { return Parsed(*this, &ParseRate); }
Result<double> ConfigNode::AsNumber(double low, double high) const {
  return InRange(*this, Parsed(*this, &ParseNumber), low, high);
}
Result<std::int64_t> ConfigNode::AsInteger(std::int64_t low, std::int64_t high) const {
  return InRange(*this, Parsed(*this, &ParseInteger), low, high);
}

Result<bool> ConfigNode::AsBoolean() const {
  static constexpr std::array<std::string_view, 2> kWords = {"false", "true"};
  ASSIGN_OR_RETURN(const std::size_t chosen, AsOneOf(kWords));
  return chosen == 1;
}

Result<std::size_t> ConfigNode::AsOneOf(std::span<const std::string_view> words) const {
  ASSIGN_OR_RETURN(const std::string text, Text());
  const auto found = std::ranges::find(words, text);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  return Wrong(fmt::format("'{}' is unknown{}", text, Suggest(text, {words.begin(), words.end()})));
}

Result<ConfigMap> ConfigMap::Open(const ConfigNode& node,
                                  const std::vector<std::string_view>& keys) {
  if (!node.IsMap()) {
    return node.Wrong(
        fmt::format("expected keys and values{}",
                    keys.empty() ? "" : fmt::format(" such as '{}: ...'", keys.front())));
  }
  ConfigMap map;
  map.node_ = node;
  ASSIGN_OR_RETURN(std::vector<ConfigEntry> entries, node.Entries(keys));
  for (ConfigEntry& entry : entries) {
    map.keys_.push_back(std::move(entry.key));
    map.values_.push_back(std::move(entry.value));
  }
  return map;
}

std::optional<ConfigNode> ConfigMap::Find(std::string_view key) const {
  const auto found = std::ranges::find(keys_, key);
  if (found == keys_.end()) return std::nullopt;
  return values_[static_cast<std::size_t>(found - keys_.begin())];
}

Result<ConfigNode> ConfigMap::Require(std::string_view key) const {
  const auto node = Find(key);
  if (!node.has_value()) return FailAt(Place(), "key '{}' is missing", key);
  return *node;
}

// Reads an optional key by one of the node's readers.
#define READ_IF_PRESENT(read)                       \
  const std::optional<ConfigNode> node = Find(key); \
  if (!node.has_value()) return {};                 \
  ASSIGN_OR_RETURN(const auto value, (read))

Status ConfigMap::ReadDuration(std::string_view key, Duration& out, Duration longest) const {
  READ_IF_PRESENT(node->AsDuration());
  if (value > longest)
    return node->Wrong(
        fmt::format("{} is longer than {}", FormatDuration(value), FormatDuration(longest)));
  out = value;
  return {};
}

Status ConfigMap::ReadInstant(std::string_view key, Instant& out) const {
  READ_IF_PRESENT(node->AsDuration());
  out = Instant{value};
  return {};
}

Status ConfigMap::ReadNumber(std::string_view key, double& out, double low, double high) const {
  READ_IF_PRESENT(node->AsNumber(low, high));
  out = value;
  return {};
}

Status ConfigMap::ReadInteger(std::string_view key, int& out, int low, int high) const {
  READ_IF_PRESENT(node->AsInteger(low, high));
  out = static_cast<int>(value);
  return {};
}

Status ConfigMap::ReadInteger(std::string_view key, std::int64_t& out, std::int64_t low,
                              std::int64_t high) const {
  READ_IF_PRESENT(node->AsInteger(low, high));
  out = value;
  return {};
}

Status ConfigMap::ReadBoolean(std::string_view key, bool& out) const {
  READ_IF_PRESENT(node->AsBoolean());
  out = value;
  return {};
}

Status ConfigMap::ReadText(std::string_view key, std::string& out) const {
  READ_IF_PRESENT(node->Text());
  if (value.empty()) return node->Wrong("expected a text that is not empty");
  out = value;
  return {};
}

Status ConfigMap::ReadTexts(std::string_view key, std::vector<std::string>& out) const {
  READ_IF_PRESENT(node->List());
  out.clear();
  for (const ConfigNode& item : value) {
    ASSIGN_OR_RETURN(std::string text, item.Text());
    if (text.empty()) return item.Wrong("expected a text that is not empty");
    out.push_back(std::move(text));
  }
  return {};
}

}  // namespace fairlead
