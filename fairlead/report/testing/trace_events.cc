#include "fairlead/report/testing/trace_events.h"

#include <nlohmann/json.hpp>

namespace fairlead {
namespace {

using Json = nlohmann::json;

TraceEvent EventOf(const Json& event) {
  const Json args = event.value("args", Json::object());
  return {.name = event.value("name", ""),
          .args = args.dump(),
          .text = event.dump(),
          .ts = event.value("ts", 0.0),
          .dur = event.value("dur", 0.0),
          .tid = event.value("tid", std::int64_t{0}),
          .id = event.value("id", std::int64_t{-1}),
          .request = args.value("request", std::int64_t{-1})};
}

}  // namespace

std::vector<TraceEvent> EventsOf(std::string_view trace, std::string_view phase) {
  std::vector<TraceEvent> events;
  const Json parsed = Json::parse(trace);
  for (const Json& event : parsed.at("traceEvents")) {
    if (event.at("ph") == phase) events.push_back(EventOf(event));
  }
  return events;
}

std::size_t CountEvents(std::string_view trace) {
  return Json::parse(trace).at("traceEvents").size();
}

std::string SameJson(std::string_view text) { return Json::parse(text).dump(); }

}  // namespace fairlead
