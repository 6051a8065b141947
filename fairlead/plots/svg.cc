#include "fairlead/plots/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "fairlead/base/check.h"

namespace fairlead {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr std::string_view kEllipsis = "\xE2\x80\xA6";

struct Character {
  char32_t code = 0;
  std::size_t length = 1;  // in bytes
  bool valid = false;
};

// The character that a text begins with. Not empty.
Character FirstCharacter(std::string_view text) {
  const auto byte = [&text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1, first >= 0x20 || first == '\t' || first == '\n'};
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return {};
  char32_t code = first & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = (code << 6) | (byte(i) & 0x3F);
  }
  static constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kSmallest[length] || code > 0x10FFFF || surrogate) return {};
  const bool control = code < 0xA0 || code == 0xFFFE || code == 0xFFFF;
  return {code, length, !control};
}

// In parts of the text's size, as in common sans-serif fonts, rather too wide than too narrow.
double CharacterWidth(char32_t code) {
  if (code >= 0x1100) return 1.05;  // East Asian and symbols
  if (code > 0x7F) return 0.65;
  const char c = static_cast<char>(code);
  if (std::string_view("iljI|!.,:;'`").find(c) != std::string_view::npos) return 0.32;
  if (std::string_view("ft()[]{}/\\ r-\"").find(c) != std::string_view::npos) return 0.42;
  if (std::string_view("mwMW@%").find(c) != std::string_view::npos) return 0.95;
  return c >= 'A' && c <= 'Z' ? 0.72 : 0.6;
}

void AppendPaint(std::string& out, const Paint& paint) {
  if (!paint.fill.empty()) out += fmt::format(R"( fill="{}")", paint.fill);
  if (!paint.stroke.empty()) out += fmt::format(R"( stroke="{}")", paint.stroke);
  if (paint.width > 0) out += fmt::format(R"( stroke-width="{}")", FormatCoordinate(paint.width));
  if (!paint.dash.empty()) out += fmt::format(R"( stroke-dasharray="{}")", paint.dash);
  if (paint.opacity < 1) out += fmt::format(R"( opacity="{}")", FormatCoordinate(paint.opacity));
}

// Corners of a mark of radius 1; crosses are two strokes.
std::string MarkPath(Point at, MarkShape shape, double radius) {
  const auto path = [&](std::initializer_list<Point> corners) {
    std::string text;
    Point last = at;
    for (Point corner : corners) {
      const Point next{at.x + corner.x * radius, at.y + corner.y * radius};
      text += fmt::format("{}{},{}", text.empty() ? "M" : "l",
                          FormatCoordinate(text.empty() ? next.x : next.x - last.x),
                          FormatCoordinate(text.empty() ? next.y : next.y - last.y));
      last = next;
    }
    return text;
  };
  switch (shape) {
    case MarkShape::kCircle: break;
    case MarkShape::kSquare:
      return path({{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}}) + "z";
    case MarkShape::kTriangle: return path({{0, -1.2}, {1.1, 0.8}, {-1.1, 0.8}}) + "z";
    case MarkShape::kDiamond: return path({{0, -1.3}, {1.3, 0}, {0, 1.3}, {-1.3, 0}}) + "z";
    case MarkShape::kTriangleDown: return path({{0, 1.2}, {1.1, -0.8}, {-1.1, -0.8}}) + "z";
    case MarkShape::kCross: return path({{-1, -1}, {1, 1}}) + path({{-1, 1}, {1, -1}});
    case MarkShape::kPlus: return path({{-1.2, 0}, {1.2, 0}}) + path({{0, -1.2}, {0, 1.2}});
  }
  return {};
}

}  // namespace

std::string EscapeMarkup(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  while (!text.empty()) {
    const Character character = FirstCharacter(text);
    if (!character.valid) {
      escaped += kReplacement;
    } else if (text[0] == '&') {
      escaped += "&amp;";
    } else if (text[0] == '<') {
      escaped += "&lt;";
    } else if (text[0] == '>') {
      escaped += "&gt;";
    } else if (text[0] == '"') {
      escaped += "&quot;";
    } else if (text[0] == '\'') {
      escaped += "&#39;";
    } else {
      escaped += text.substr(0, character.length);
    }
    text.remove_prefix(character.length);
  }
  return escaped;
}

std::string FormatCoordinate(double value) {
  CHECK(std::isfinite(value));
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

double TextWidth(std::string_view text, double size) {
  double width = 0;
  while (!text.empty()) {
    const Character character = FirstCharacter(text);
    width += character.valid ? CharacterWidth(character.code) : 1;
    text.remove_prefix(character.length);
  }
  return width * size;
}

std::string FitText(std::string_view text, double width, double size) {
  if (TextWidth(text, size) <= width) return std::string(text);
  double left = width / size - 1;  // for the ellipsis
  std::size_t kept = 0;
  while (kept < text.size()) {
    const Character character = FirstCharacter(text.substr(kept));
    left -= character.valid ? CharacterWidth(character.code) : 1;
    if (left < 0) break;
    kept += character.length;
  }
  return std::string(text.substr(0, kept)) + std::string(kEllipsis);
}

void SvgWriter::OpenGroup(const Paint& paint) {
  body_ += "<g";
  AppendPaint(body_, paint);
  body_ += ">\n";
  ++open_groups_;
}

void SvgWriter::CloseGroup() {
  CHECK(open_groups_ > 0);
  body_ += "</g>\n";
  --open_groups_;
}

void SvgWriter::Line(Point from, Point to, const Paint& paint) {
  body_ += fmt::format(R"(<path d="M{},{}L{},{}")", FormatCoordinate(from.x),
                       FormatCoordinate(from.y), FormatCoordinate(to.x), FormatCoordinate(to.y));
  AppendPaint(body_, paint);
  body_ += "/>\n";
}

void SvgWriter::Polyline(std::span<const Point> points, const Paint& paint) {
  if (points.empty()) return;
  body_ += R"(<path fill="none" stroke-linejoin="round" d=")";
  for (std::size_t i = 0; i < points.size(); ++i) {
    body_ += i == 0 ? 'M' : 'L';
    body_ += FormatCoordinate(points[i].x) + "," + FormatCoordinate(points[i].y);
  }
  body_ += '"';
  AppendPaint(body_, paint);
  body_ += "/>\n";
}

void SvgWriter::Rectangle(const Box& box, const Paint& paint, std::string_view title) {
  body_ += fmt::format(R"(<rect x="{}" y="{}" width="{}" height="{}")", FormatCoordinate(box.left),
                       FormatCoordinate(box.top), FormatCoordinate(box.width()),
                       FormatCoordinate(box.height()));
  AppendPaint(body_, paint);
  Close("rect", title);
}

void SvgWriter::Mark(Point center, MarkShape shape, double radius, const Paint& paint,
                     std::string_view title) {
  const bool circle = shape == MarkShape::kCircle;
  if (circle) {
    body_ += fmt::format(R"(<circle cx="{}" cy="{}" r="{}")", FormatCoordinate(center.x),
                         FormatCoordinate(center.y), FormatCoordinate(radius));
  } else {
    body_ += fmt::format(R"(<path d="{}")", MarkPath(center, shape, radius));
  }
  AppendPaint(body_, paint);
  Close(circle ? "circle" : "path", title);
}

void SvgWriter::Text(Point at, std::string_view text, const TextStyle& style) {
  body_ += fmt::format(R"(<text x="{}" y="{}")", FormatCoordinate(at.x), FormatCoordinate(at.y));
  if (style.anchor == TextAnchor::kMiddle) body_ += R"( text-anchor="middle")";
  if (style.anchor == TextAnchor::kEnd) body_ += R"( text-anchor="end")";
  if (style.size != kTextSize)
    body_ += fmt::format(R"( font-size="{}")", FormatCoordinate(style.size));
  if (style.bold) body_ += R"( font-weight="600")";
  if (style.opacity < 1) body_ += fmt::format(R"( opacity="{}")", FormatCoordinate(style.opacity));
  if (style.upwards) {
    body_ += fmt::format(" transform=\"rotate(-90 {} {})\"", FormatCoordinate(at.x),
                         FormatCoordinate(at.y));
  }
  body_ += ">" + EscapeMarkup(text);
  if (!style.title.empty()) body_ += "<title>" + EscapeMarkup(style.title) + "</title>";
  body_ += "</text>\n";
}

void SvgWriter::Close(std::string_view element, std::string_view title) {
  if (title.empty()) {
    body_ += "/>\n";
  } else {
    body_ += fmt::format("><title>{}</title></{}>\n", EscapeMarkup(title), element);
  }
}

std::string SvgWriter::Finish(double width, double height, std::string_view label) && {
  CHECK(open_groups_ == 0);
  return fmt::format(R"(<svg viewBox="0 0 {0} {1}" width="{0}" height="{1}" role="img" )"
                     R"(aria-label="{2}" font-family="system-ui, sans-serif" font-size="{3}" )"
                     "fill=\"{4}\">\n{5}</svg>\n",
                     FormatCoordinate(width), FormatCoordinate(height), EscapeMarkup(label),
                     FormatCoordinate(kTextSize), kInk, body_);
}

SeriesStyle StyleOf(std::size_t series) {
  static constexpr std::string_view kColours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                  "#e69f00", "#56b4e9", "#8a8a8a"};
  static constexpr std::string_view kDashes[] = {"", "6 3", "2 2", "8 2 2 2"};
  constexpr std::size_t kColourCount = std::size(kColours);
  const std::size_t round = series / kColourCount;
  return {.colour = kColours[series % kColourCount],
          .dash = kDashes[round % std::size(kDashes)],
          .mark = static_cast<MarkShape>((series + round) % kMarkShapes)};
}

}  // namespace fairlead
