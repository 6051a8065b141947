// Reads JSON from a text, value by value, without making a tree of it: a tensor's numbers go
// straight to where they belong.
//
// Strict: RFC 8259, UTF-8, no more nesting than kDeepest. The first thing that is wrong is
// remembered; from then on every answer is no, so callers may look at the error once, at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fairlead/base/result.h"

namespace fairlead {

class JsonReader {
 public:
  static constexpr int kDeepest = 64;

  enum class Kind : std::uint8_t { kNull, kBool, kNumber, kText, kList, kObject, kNothing };

  // The text must outlive it. `origin` is where it begins in what the client sent.
  explicit JsonReader(std::string_view text, std::size_t origin = 0)
      : text_(text), origin_(origin) {}

  // What comes next; nothing: the end of a list, of an object, of the text, or an error.
  Kind Next();

  // Each takes one value of its kind, and is false where it is another.
  bool TakeNull();
  bool TakeBool(bool& value);
  bool TakeText(std::string& value);
  bool TakeNumber(std::string_view& digits);  // as it is written
  bool TakeInteger(std::int64_t& value);
  bool TakeUnsigned(std::uint64_t& value);
  bool Skip();  // one value of any kind

  // for (reader.EnterObject(); reader.NextKey(key);) ... takes one value for each key.
  bool EnterObject();
  bool NextKey(std::string& key);
  // for (reader.EnterList(); reader.NextItem();) ... takes one value each.
  bool EnterList();
  bool NextItem();

  // Where a value begins that was skipped, to be read later, and its text.
  std::size_t position();
  std::string_view TextFrom(std::size_t begin) const { return text_.substr(begin, at_ - begin); }

  // Nothing may follow the one value of a text.
  bool Finish();

  bool Wrong(std::string_view what);  // remembers it, with its place; false
  bool good() const { return error_.empty(); }
  Status status() const;

 private:
  void Blank();
  bool Expect(std::string_view word);
  bool TakeEscape(std::string& value);
  bool TakeHex(std::uint32_t& value);
  bool Enter(char open);
  bool Open(char c);  // whether it is c, which is passed

  std::string_view text_;
  std::size_t origin_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool first_ = false;  // nothing of the list or object that was entered has been read
  std::string error_;
};

}  // namespace fairlead
