// A trace read back for tests: each event with the few fields that they look at. The JSON stays in
// one file, since clang's analyzer takes half a minute for every test body that it sees it in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fairlead {

struct TraceEvent {
  std::string name;
  std::string args;  // as JSON, keys in order of the alphabet
  std::string text;  // all of it, the same way
  double ts = 0;
  double dur = 0;
  std::int64_t tid = 0;
  std::int64_t id = -1;       // of a flow or a bar
  std::int64_t request = -1;  // in its arguments
};

// Precondition: valid JSON.
std::vector<TraceEvent> EventsOf(std::string_view trace, std::string_view phase);
std::size_t CountEvents(std::string_view trace);

// JSON with its keys in order of the alphabet and no spaces.
std::string SameJson(std::string_view text);

}  // namespace fairlead
