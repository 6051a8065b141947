#include "fairlead/serving/json_reader.h"

#include <fmt/format.h>

#include <charconv>
#include <system_error>

#include "fairlead/serving/utf8.h"

namespace fairlead {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The length of the number at the front, as JSON writes them; 0 if there is none.
std::size_t NumberLength(std::string_view text) {
  std::size_t at = 0;
  const auto digits = [&] {
    const std::size_t begin = at;
    while (at < text.size() && IsDigit(text[at])) ++at;
    return at > begin;
  };
  const auto is = [&](char a, char b) {
    return at < text.size() && (text[at] == a || text[at] == b);
  };
  if (is('-', '-')) ++at;
  if (is('0', '0')) {
    ++at;
  } else if (!digits()) {
    return 0;
  }
  if (is('.', '.')) {
    ++at;
    if (!digits()) return 0;
  }
  if (is('e', 'E')) {
    ++at;
    if (is('+', '-')) ++at;
    if (!digits()) return 0;
  }
  return at;
}

}  // namespace

void JsonReader::Blank() {
  while (at_ < text_.size() &&
         (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t'))
    ++at_;
}

bool JsonReader::Wrong(std::string_view what) {
  if (good()) error_ = fmt::format("at byte {}: {}", origin_ + at_, what);
  return false;
}

Status JsonReader::status() const {
  if (!good()) return Fail("{}", error_);
  return {};
}

std::size_t JsonReader::position() {
  Blank();
  return at_;
}

JsonReader::Kind JsonReader::Next() {
  Blank();
  if (!good() || at_ == text_.size()) return Kind::kNothing;
  switch (text_[at_]) {
    case 'n': return Kind::kNull;
    case 't':
    case 'f': return Kind::kBool;
    case '"': return Kind::kText;
    case '[': return Kind::kList;
    case '{': return Kind::kObject;
    default: break;
  }
  return text_[at_] == '-' || IsDigit(text_[at_]) ? Kind::kNumber : Kind::kNothing;
}

bool JsonReader::Expect(std::string_view word) {
  if (!text_.substr(at_).starts_with(word)) return Wrong("no value of JSON");
  at_ += word.size();
  return true;
}

bool JsonReader::TakeNull() {
  if (Next() != Kind::kNull) return Wrong("expected null");
  return Expect("null");
}

bool JsonReader::TakeBool(bool& value) {
  if (Next() != Kind::kBool) return Wrong("expected true or false");
  value = text_[at_] == 't';
  return Expect(value ? "true" : "false");
}

bool JsonReader::TakeNumber(std::string_view& digits) {
  if (Next() != Kind::kNumber) return Wrong("expected a number");
  const std::size_t length = NumberLength(text_.substr(at_));
  if (length == 0) return Wrong("no number of JSON");
  digits = text_.substr(at_, length);
  at_ += length;
  return true;
}

bool JsonReader::TakeInteger(std::int64_t& value) {
  std::string_view digits;
  if (!TakeNumber(digits)) return false;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (code == std::errc{} && end == digits.data() + digits.size()) return true;
  return Wrong("expected a whole number of at most 64 bits");
}

bool JsonReader::TakeUnsigned(std::uint64_t& value) {
  std::string_view digits;
  if (!TakeNumber(digits)) return false;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (code == std::errc{} && end == digits.data() + digits.size()) return true;
  return Wrong("expected a whole number from 0, of at most 64 bits");
}

bool JsonReader::TakeHex(std::uint32_t& value) {
  const std::string_view digits = text_.substr(at_, 4);
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (digits.size() < 4 || code != std::errc{} || end != digits.data() + 4)
    return Wrong("expected four hexadecimal digits");
  at_ += 4;
  return true;
}

bool JsonReader::TakeEscape(std::string& value) {
  if (at_ == text_.size()) return Wrong("the text does not end");
  const char c = text_[at_++];
  switch (c) {
    case '"':
    case '\\':
    case '/': value += c; return true;
    case 'b': value += '\b'; return true;
    case 'f': value += '\f'; return true;
    case 'n': value += '\n'; return true;
    case 'r': value += '\r'; return true;
    case 't': value += '\t'; return true;
    case 'u': break;
    default: return Wrong("unknown escape");
  }
  std::uint32_t code = 0;
  if (!TakeHex(code)) return false;
  if (code >= 0xDC00 && code <= 0xDFFF) return Wrong("the second half of a pair alone");
  if (code >= 0xD800 && code <= 0xDBFF) {
    std::uint32_t second = 0;
    if (!text_.substr(at_).starts_with("\\u")) return Wrong("the first half of a pair alone");
    at_ += 2;
    if (!TakeHex(second)) return false;
    if (second < 0xDC00 || second > 0xDFFF) return Wrong("the first half of a pair alone");
    code = 0x10000 + ((code - 0xD800) << 10) + (second - 0xDC00);
  }
  AppendUtf8(code, value);
  return true;
}

bool JsonReader::TakeText(std::string& value) {
  if (Next() != Kind::kText) return Wrong("expected a text in quotes");
  value.clear();
  ++at_;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '"') {
      ++at_;
      return true;
    }
    if (c == '\\') {
      ++at_;
      if (!TakeEscape(value)) return false;
      continue;
    }
    const std::size_t length = Utf8Length(text_.substr(at_));
    if (length == 0) return Wrong("no UTF-8");
    if (static_cast<unsigned char>(c) < 0x20) return Wrong("a control character in a text");
    value += text_.substr(at_, length);
    at_ += length;
  }
  return Wrong("the text does not end");
}

bool JsonReader::Open(char c) {
  Blank();
  if (!good() || at_ == text_.size() || text_[at_] != c) return false;
  ++at_;
  return true;
}

bool JsonReader::Enter(char open) {
  if (!Open(open)) return Wrong(open == '{' ? "expected an object" : "expected a list");
  if (++depth_ > kDeepest) return Wrong("nested too deeply");
  first_ = true;
  return true;
}

bool JsonReader::EnterObject() { return Enter('{'); }
bool JsonReader::EnterList() { return Enter('['); }

bool JsonReader::NextKey(std::string& key) {
  if (!good()) return false;
  const bool first = std::exchange(first_, false);
  if (Open('}')) {
    --depth_;
    return false;
  }
  if (!first && !Open(',')) return Wrong("expected , or }");
  if (!TakeText(key)) return false;
  return Open(':') || Wrong("expected :");
}

bool JsonReader::NextItem() {
  if (!good()) return false;
  const bool first = std::exchange(first_, false);
  if (Open(']')) {
    --depth_;
    return false;
  }
  if (!first && !Open(',')) return Wrong("expected , or ]");
  return true;
}

bool JsonReader::Skip() {
  std::string text;
  std::string_view digits;
  bool flag = false;
  switch (Next()) {
    case Kind::kNull: return TakeNull();
    case Kind::kBool: return TakeBool(flag);
    case Kind::kNumber: return TakeNumber(digits);
    case Kind::kText: return TakeText(text);
    case Kind::kObject:
      for (EnterObject(); NextKey(text);) Skip();
      return good();
    case Kind::kList:
      for (EnterList(); NextItem();) Skip();
      return good();
    case Kind::kNothing: break;
  }
  return Wrong("expected a value");
}

bool JsonReader::Finish() {
  Blank();
  if (good() && at_ < text_.size()) return Wrong("something follows the value");
  return good();
}

}  // namespace fairlead
