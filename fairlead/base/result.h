// Results that may be an error, for bad input and the wire.
//
// An Error carries its whole message, place included ("file:line:column: what is wrong, and what
// was expected"), and travels up to the edge of the program, where it is printed once.
#pragma once

#include <fmt/format.h>

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace fairlead {

struct Error {
  std::string message;
};

template <typename T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using tl::expected<T, Error>::expected;
};

using Status = Result<void>;

// A place in a text that people wrote. Lines and columns count from 1; 0 means unknown.
struct Place {
  std::string file;
  int line = 0;
  int column = 0;
};

inline std::string ToString(const Place& place) {
  if (place.line <= 0) return place.file;
  if (place.column <= 0) return fmt::format("{}:{}", place.file, place.line);
  return fmt::format("{}:{}:{}", place.file, place.line, place.column);
}

template <typename... Args>
tl::unexpected<Error> Fail(fmt::format_string<Args...> format, Args&&... args) {
  return tl::unexpected<Error>(Error{fmt::format(format, std::forward<Args>(args)...)});
}

template <typename... Args>
tl::unexpected<Error> FailAt(const Place& place, fmt::format_string<Args...> format,
                             Args&&... args) {
  return tl::unexpected<Error>(
      Error{ToString(place) + ": " + fmt::format(format, std::forward<Args>(args)...)});
}

}  // namespace fairlead

#define FAIRLEAD_CONCAT_INNER(a, b) a##b
#define FAIRLEAD_CONCAT(a, b) FAIRLEAD_CONCAT_INNER(a, b)

// Hands an error of a Status or Result expression to the caller.
#define RETURN_IF_ERROR(expression)                                                \
  do {                                                                             \
    if (auto status_of_step = (expression); !status_of_step.has_value())           \
      return tl::unexpected<::fairlead::Error>(std::move(status_of_step).error()); \
  } while (false)

// Declares `target` from a Result expression, or hands its error to the caller.
#define ASSIGN_OR_RETURN(target, expression)                       \
  auto FAIRLEAD_CONCAT(result_at_, __LINE__) = (expression);       \
  if (!FAIRLEAD_CONCAT(result_at_, __LINE__).has_value())          \
    return tl::unexpected<::fairlead::Error>(                      \
        std::move(FAIRLEAD_CONCAT(result_at_, __LINE__)).error()); \
  target = std::move(*FAIRLEAD_CONCAT(result_at_, __LINE__))
