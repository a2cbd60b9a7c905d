/**
 * Beginning of a cell that a spreadsheet may run as a formula, including full-width signs. Leading apostrophes count,
 * so that exporting and importing a text that begins with one does not change it.
 */
const formula = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/**
 * Quotes a value. Visitors choose some of the values, so an apostrophe in front keeps a value from being run as a
 * formula.
 */
const cell = (value: string | number) => `"${String(value).replace(formula, "'$&").replaceAll('"', '""')}"`;

/** Returns the text of a cell, without the apostrophe that `csvLine` or a spreadsheet added. */
export const textOfCell = (cell: string): string =>
  cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell;

/**
 * Returns a line of a CSV file (RFC 4180), with its line end. Spreadsheets read all its cells as text, not as
 * formulas.
 */
export const csvLine = (values: readonly (string | number)[]) => `${values.map(cell).join(',')}\r\n`;

/** Byte order mark at the beginning of a CSV file, by which spreadsheets detect UTF-8. */
export const byteOrderMark = '\uFEFF';
