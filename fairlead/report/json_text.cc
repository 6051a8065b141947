#include "fairlead/report/json_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "fairlead/base/check.h"

namespace fairlead {

std::string JsonOf(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string Indented(const std::string& json, int indent) {
  using Json = nlohmann::ordered_json;
  const Json parsed = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  CHECK_MSG(!parsed.is_discarded(), "what should stand in results is not JSON: " + json);
  return parsed.dump(indent, ' ', false, Json::error_handler_t::replace);
}

JsonText::JsonText(int indent, Root root) : indent_(indent) {
  Open(root == Root::kObject ? '{' : '[');
}

void JsonText::Open(char bracket) {
  text_ += bracket;
  open_.push_back({bracket == '{' ? '}' : ']'});
}

void JsonText::NewLine() {
  if (indent_ >= 0)
    text_ += '\n' + std::string(open_.size() * static_cast<std::size_t>(indent_), ' ');
}

void JsonText::Next(std::string_view key) {
  if (!open_.back().empty) text_ += ',';
  open_.back().empty = false;
  NewLine();
  if (open_.back().end == ']') return;
  Write(key);
  text_ += indent_ < 0 ? ":" : ": ";
}

void JsonText::Begin(std::string_view key, char bracket) {
  Next(key);
  Open(bracket);
}

void JsonText::End() {
  const Level level = open_.back();
  open_.pop_back();
  if (!level.empty) NewLine();
  text_ += level.end;
}

void JsonText::Write(double value) { text_ += nlohmann::json(value).dump(); }

void JsonText::Write(std::string_view value) { text_ += JsonOf(value); }

void JsonText::PutJson(std::string_view key, const std::string& json) {
  Next(key);
  if (json.empty()) return Write(nullptr);
  const std::string margin(open_.size() * static_cast<std::size_t>(std::max(indent_, 0)), ' ');
  for (const char c : Indented(json, indent_)) {
    text_ += c;
    if (c == '\n') text_ += margin;
  }
}

std::string JsonText::Finish() && {
  while (!open_.empty()) End();
  return std::move(text_) + "\n";
}

}  // namespace fairlead
