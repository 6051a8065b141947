// One HTML page that needs nothing but itself: no network, no other file. It is readable on a
// phone, prints in black on white, and follows a reader's wish for a dark screen.
//
// All texts are handed in as they are and escaped here; only figures are handed in as markup. The
// page is well-formed XML too, so that any parser can check it, and forbids itself by its content
// security policy to load anything or to run any script but its own.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fairlead {

struct HtmlFigure {
  std::string name;  // of the file when it is saved: "hit-rates"
  std::string title;
  std::string svg;      // from an SvgWriter
  std::string caption;  // how to read it
};

struct HtmlCell {
  std::string text;
  std::string note;  // smaller, below the text; may be empty
  bool strong = false;
  std::optional<double> order = {};  // what it is sorted by; none: by its text
};

struct HtmlTable {
  std::string caption;
  std::vector<std::string> columns;
  std::vector<std::vector<HtmlCell>> rows = {};  // the first cell names the row
  bool sortable = false;                         // by the reader, by any column

  // A row of texts and cells.
  template <typename... Cells>
  void Add(Cells&&... cells) {
    rows.push_back({CellOf(std::forward<Cells>(cells))...});
  }

  static HtmlCell CellOf(std::string text) { return {.text = std::move(text)}; }
  static HtmlCell CellOf(HtmlCell cell) { return cell; }
};

class HtmlPage {
 public:
  explicit HtmlPage(std::string_view title);

  void Section(std::string_view heading);
  void Paragraph(std::string_view text);
  // In two columns where the screen is wide enough.
  void Figures(std::span<const HtmlFigure> figures);
  // The same behind a line that opens them. They are open on paper.
  void FoldedFigures(std::string_view summary, std::span<const HtmlFigure> figures);
  void Table(const HtmlTable& table);
  // As it stands, line by line.
  void Verbatim(std::string_view text);
  void FoldedVerbatim(std::string_view summary, std::string_view text);
  // The command that makes the page again, under a heading of its own.
  void Rerun(std::string_view version, std::string_view command);

  std::string Finish() &&;

 private:
  std::string body_;
};

}  // namespace fairlead
