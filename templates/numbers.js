/* Writes the number of each hex into the map of a page: columns and rows, where the first number stands, and how far the
   next ones are. Without it the numbers are put together of halves, as they stand in the page. */
(() => {
const group = document.querySelector(".no[data-numbers]");
if (!group) return;
group.replaceChildren();
const [column, row, lastColumn, lastRow, x, y, across, down, lower] = group.dataset.numbers.split(" ").map(Number);
for (let c = column; c <= lastColumn; c++) for (let r = row; r <= lastRow; r++) {
  const text = document.createElementNS(group.namespaceURI, "text");
  text.setAttribute("x", x + across * (c - column));
  text.setAttribute("y", y + down * (r - row) + (c % 2 === lower ? down / 2 : 0) - (column % 2 === lower ? down / 2 : 0));
  text.textContent = String(c).padStart(2, "0") + String(r).padStart(2, "0");
  group.append(text);
}
})();
