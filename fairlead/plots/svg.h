// A small writer of SVG pictures, for figures in HTML pages.
//
// A picture needs no style sheet and names no other file: colours are attributes, and what is drawn
// in `kInk` follows the text around it, so that it is dark on a light page and light on a dark one.
// It has no xmlns, since HTML needs none; whoever saves one as a file adds it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace fairlead {

inline constexpr std::string_view kInk = "currentColor";
inline constexpr double kTextSize = 12;

// A text as the content of an element or as the value of an attribute in double quotes. What is not
// UTF-8, and what markup cannot hold (most control characters), becomes U+FFFD.
std::string EscapeMarkup(std::string_view text);

// A coordinate with at most two decimals: "3", "0.25", "-1.5". Finite.
std::string FormatCoordinate(double value);

// How wide a text is, about, and the text shortened with an ellipsis to a width, if it has to be.
double TextWidth(std::string_view text, double size = kTextSize);
std::string FitText(std::string_view text, double width, double size = kTextSize);

struct Point {
  double x = 0;
  double y = 0;
};

struct Box {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;

  double width() const { return right - left; }
  double height() const { return bottom - top; }
};

// Lines are drawn with `stroke`, surfaces with `fill`; empty: as the group around it does.
struct Paint {
  std::string_view fill;
  std::string_view stroke;
  double width = 0;       // of lines; 0: the group's
  std::string_view dash;  // "4 2"
  double opacity = 1;
};

enum class TextAnchor : std::uint8_t { kStart, kMiddle, kEnd };

struct TextStyle {
  TextAnchor anchor = TextAnchor::kStart;
  double size = kTextSize;
  double opacity = 1;
  bool upwards = false;  // turned by a quarter
  bool bold = false;
  std::string_view title;  // shown when pointed at
};

enum class MarkShape : std::uint8_t {
  kCircle,
  kSquare,
  kTriangle,
  kDiamond,
  kTriangleDown,
  kCross,
  kPlus  // of bounds alone
};
inline constexpr int kMarkShapes = 6;  // of series: all but the last

class SvgWriter {
 public:
  // Paint for all that follows until the group is closed, for what does not say otherwise.
  void OpenGroup(const Paint& paint);
  void CloseGroup();

  void Line(Point from, Point to, const Paint& paint = {});
  void Polyline(std::span<const Point> points, const Paint& paint = {});
  // Titles are shown when the shape is pointed at; empty: none.
  void Rectangle(const Box& box, const Paint& paint = {}, std::string_view title = {});
  // Crosses are strokes, other marks surfaces: the paint should have both. `radius` is that of the
  // circle; the other marks look about as large.
  void Mark(Point center, MarkShape shape, double radius, const Paint& paint = {},
            std::string_view title = {});
  // `at` is on the base line.
  void Text(Point at, std::string_view text, const TextStyle& style = {});

  // The whole picture; `label` says in words what it shows. Every group is closed.
  std::string Finish(double width, double height, std::string_view label) &&;

 private:
  void Close(std::string_view element, std::string_view title);

  std::string body_;
  int open_groups_ = 0;
};

// How the series of a figure are told apart: by colour, dash and mark at once, so that a reader who
// sees no colours, or a printer that has none, loses nothing.

struct SeriesStyle {
  std::string_view colour;
  std::string_view dash;  // empty: a whole line
  MarkShape mark = MarkShape::kCircle;
};

// Colours of Okabe and Ito without yellow, which white paper swallows, and without black, which
// is kept for bounds and axes. The first 28 differ in colour and dash, or in colour and mark; then
// they come again.
SeriesStyle StyleOf(std::size_t series);

// What is not one of the series: a bound, a limit.
inline constexpr SeriesStyle kBoundStyle{.colour = kInk, .dash = "1 3", .mark = MarkShape::kPlus};

}  // namespace fairlead
