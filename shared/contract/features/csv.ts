/** Spreadsheets take a cell for a formula that begins so, and others choose what stands in ours. */
const cell = (value: string | number) =>
  `"${String(value)
    .replace(/^[=+\-@\t\r]/, "'$&")
    .replaceAll('"', '""')}"`;

/** A line of CSV as RFC 4180 has it, whose cells are texts for any spreadsheet. */
export const csvLine = (values: readonly (string | number)[]) => `${values.map(cell).join(',')}\r\n`;

/** What a file of CSV begins with, by which spreadsheets know that it is UTF-8. */
export const csvMark = '\uFEFF';
