#include "fairlead/report/html_page.h"

#include <fmt/format.h>

#include "fairlead/plots/svg.h"

namespace fairlead {
namespace {

constexpr std::string_view kStyle = R"css(
:root{color-scheme:light dark;--ink:#1b1f24;--dim:#5a6470;--paper:#fff;--edge:#d9dee4;
--soft:#f4f6f8;--link:#0063a0}
@media (prefers-color-scheme:dark){:root{--ink:#e6e9ed;--dim:#a3adb8;--paper:#15181c;--edge:#343b44;
--soft:#1e2329;--link:#6cb8ec}}
*{box-sizing:border-box}
body{margin:0 auto;padding:1rem;max-width:76rem;color:var(--ink);background:var(--paper);
font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
h1{font-size:1.7rem;line-height:1.2;margin:.5rem 0}
h2{font-size:1.25rem;margin:2rem 0 .5rem;padding-top:1rem;border-top:1px solid var(--edge)}
p{margin:.5rem 0;max-width:46rem}
.figures{columns:26rem;column-gap:1rem}
figure{break-inside:avoid;margin:0 0 1rem;padding:.75rem;border:1px solid var(--edge);
border-radius:.5rem}
figure header{display:flex;justify-content:space-between;align-items:baseline;gap:.5rem}
h3{font-size:1rem;margin:0 0 .5rem}
figure svg{display:block;width:100%;height:auto;max-width:36rem;margin:0 auto}
figcaption{font-size:.85rem;color:var(--dim);margin-top:.5rem}
button{flex:none;font:inherit;font-size:.75rem;color:var(--link);background:none;cursor:pointer;
border:1px solid var(--edge);border-radius:.3rem;padding:.1rem .4rem}
.wide{overflow-x:auto;margin:.75rem 0}
table{border-collapse:collapse;font-size:.85rem;font-variant-numeric:tabular-nums}
caption{text-align:left;color:var(--dim);padding:.25rem 0}
caption div{position:sticky;left:0;width:max-content;max-width:min(46rem,calc(100vw - 2.5rem))}
th,td{padding:.3rem .45rem;text-align:right;white-space:nowrap;border-bottom:1px solid var(--edge);
vertical-align:top;overflow-wrap:normal}
th:first-child{text-align:left;white-space:normal;position:sticky;left:0;background:var(--paper);
min-width:8rem;max-width:16rem;overflow-wrap:break-word}
thead th{vertical-align:bottom;white-space:normal}
tbody th{font-weight:600}
thead button{font-size:inherit;font-weight:inherit;text-align:inherit;border:0;padding:0}
th[aria-sort=ascending] button::after{content:" \2191"}
th[aria-sort=descending] button::after{content:" \2193"}
td small{display:block;color:var(--dim)}
pre{margin:.5rem 0;padding:.75rem;background:var(--soft);border-radius:.5rem;font-size:.8rem;
white-space:pre-wrap;overflow-wrap:anywhere}
details{margin:.75rem 0}
summary{cursor:pointer;color:var(--link);padding:.25rem 0}
@media print{:root{color-scheme:light;--ink:#000;--dim:#333;--paper:#fff;--edge:#bbb;--soft:#f4f4f4;
--link:#000}
body{padding:0;max-width:none;font-size:11pt}
figure button{display:none}
tr{break-inside:avoid}
h2,summary{break-after:avoid}
.figures{columns:2}
.wide{overflow:visible}
table{font-size:7pt}
th,td{padding:.15rem .25rem}
th:first-child{position:static}
a{color:inherit}}
)css";

// The policy below names the script by its SHA-256, so the two change together; the test of the
// whole report compares them.
constexpr std::string_view kScript = R"js(
document.addEventListener("click", function (event) {
  const button = event.target.closest("button[data-save]");
  if (button === null) return;
  const svg = button.closest("figure").querySelector("svg");
  const text = new XMLSerializer().serializeToString(svg);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], {type: "image/svg+xml"}));
  link.download = button.dataset.save + ".svg";
  link.click();
  URL.revokeObjectURL(link.href);
});
document.addEventListener("click", function (event) {
  const heading = event.target.closest("table.sortable thead button");
  if (heading === null) return;
  const cell = heading.closest("th");
  const down = cell.getAttribute("aria-sort") === "ascending";
  for (const other of cell.parentNode.cells) other.removeAttribute("aria-sort");
  cell.setAttribute("aria-sort", down ? "descending" : "ascending");
  const body = cell.closest("table").tBodies[0];
  const key = function (row) {
    const at = row.cells[cell.cellIndex];
    if (at.dataset.order !== undefined) return Number(at.dataset.order);
    return at.textContent === "" ? -1 : at.textContent;
  };
  const rows = Array.from(body.rows).sort(function (a, b) {
    const x = key(a);
    const y = key(b);
    const numbers = typeof x === "number" ? typeof y === "number" : false;
    const order = numbers ? x - y : String(x).localeCompare(String(y));
    return down ? -order : order;
  });
  for (const row of rows) body.append(row);
});
addEventListener("beforeprint", function () {
  for (const folded of document.querySelectorAll("details.figures-inside")) folded.open = true;
});
)js";
constexpr std::string_view kScriptHash = "sha256-7u6xDzuP/HGn4XB5hiRfBt7tteZiAESnP7Uai2z2UFY=";

void AppendFigure(std::string& out, const HtmlFigure& figure) {
  out += fmt::format(
      "<figure>\n<header><h3>{0}</h3>"
      "<button type=\"button\" data-save=\"{1}\" aria-label=\"Save {0} as SVG\">SVG</button>"
      "</header>\n{2}<figcaption>{3}</figcaption>\n</figure>\n",
      EscapeMarkup(figure.title), EscapeMarkup(figure.name), figure.svg,
      EscapeMarkup(figure.caption));
}

void AppendRow(std::string& out, const std::vector<HtmlCell>& row) {
  out += "<tr>";
  for (std::size_t i = 0; i < row.size(); ++i) {
    const HtmlCell& cell = row[i];
    std::string text = EscapeMarkup(cell.text);
    if (cell.strong) text = fmt::format("<strong>{}</strong>", text);
    if (!cell.note.empty()) text += "<small>" + EscapeMarkup(cell.note) + "</small>";
    const std::string order =
        cell.order.has_value() ? fmt::format(" data-order=\"{}\"", *cell.order) : "";
    out += i == 0 ? fmt::format("<th scope=\"row\"{}>{}</th>", order, text)
                  : fmt::format("<td{}>{}</td>", order, text);
  }
  out += "</tr>\n";
}

}  // namespace

HtmlPage::HtmlPage(std::string_view title) {
  const std::string escaped = EscapeMarkup(title);
  body_ = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'; script-src '{}'\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<main>\n<h1>{}</h1>\n",
      kScriptHash, escaped, kStyle, escaped);
}

void HtmlPage::Section(std::string_view heading) {
  body_ += fmt::format("<h2>{}</h2>\n", EscapeMarkup(heading));
}

void HtmlPage::Paragraph(std::string_view text) {
  body_ += fmt::format("<p>{}</p>\n", EscapeMarkup(text));
}

void HtmlPage::Figures(std::span<const HtmlFigure> figures) {
  body_ += "<div class=\"figures\">\n";
  for (const HtmlFigure& figure : figures) AppendFigure(body_, figure);
  body_ += "</div>\n";
}

void HtmlPage::FoldedFigures(std::string_view summary, std::span<const HtmlFigure> figures) {
  body_ += fmt::format("<details class=\"figures-inside\"><summary>{}</summary>\n",
                       EscapeMarkup(summary));
  Figures(figures);
  body_ += "</details>\n";
}

void HtmlPage::Table(const HtmlTable& table) {
  body_ += fmt::format(
      "<div class=\"wide\" tabindex=\"0\">\n<table{}><caption><div>{}</div></caption>\n<thead><tr>",
      table.sortable ? " class=\"sortable\"" : "", EscapeMarkup(table.caption));
  for (const std::string& column : table.columns) {
    const std::string text = EscapeMarkup(column);
    body_ += table.sortable
                 ? fmt::format("<th scope=\"col\"><button type=\"button\">{}</button></th>", text)
                 : fmt::format("<th scope=\"col\">{}</th>", text);
  }
  body_ += "</tr></thead>\n<tbody>\n";
  for (const std::vector<HtmlCell>& row : table.rows) AppendRow(body_, row);
  body_ += "</tbody></table>\n</div>\n";
}

void HtmlPage::Verbatim(std::string_view text) {
  body_ += fmt::format("<pre>{}</pre>\n", EscapeMarkup(text));
}

void HtmlPage::FoldedVerbatim(std::string_view summary, std::string_view text) {
  body_ += fmt::format("<details><summary>{}</summary>\n", EscapeMarkup(summary));
  Verbatim(text);
  body_ += "</details>\n";
}

void HtmlPage::Rerun(std::string_view version, std::string_view command) {
  Section("To run it again");
  if (!version.empty()) Paragraph(fmt::format("With fairlead {}:", version));
  Verbatim(command);
}

std::string HtmlPage::Finish() && {
  body_ += fmt::format("</main>\n<script>{}</script>\n</body>\n</html>\n", kScript);
  return std::move(body_);
}

}  // namespace fairlead
