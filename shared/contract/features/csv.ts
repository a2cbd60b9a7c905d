/**
 * The beginning of a cell that some spreadsheet runs as a formula, full-width signs included. Apostrophes count, so that a text that
 * begins with one is the same again after it was exported and imported.
 */
const formula = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/** Strangers choose the texts of cells, so an apostrophe in front keeps each from being a formula. */
const cell = (value: string | number) => `"${String(value).replace(formula, "'$&").replaceAll('"', '""')}"`;

/** The text of a cell, without the apostrophe that `csvLine` or a spreadsheet put in front. */
export const textOfCell = (cell: string): string =>
  cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell;

/** A line of CSV as RFC 4180 has it, whose cells are texts for any spreadsheet. */
export const csvLine = (values: readonly (string | number)[]) => `${values.map(cell).join(',')}\r\n`;

/** What a file of CSV begins with, by which spreadsheets know that it is UTF-8. */
export const csvMark = '\uFEFF';
