/** Rows of a generated table; the first one is its head. */
export type Table = readonly (readonly string[])[];

const cell = (text: string) => text.replaceAll('|', '\\|').replace(/\s+/g, ' ');

/** Returns a table in Markdown, padded as the formatter does. */
export function markdownTable(table: Table): string {
  const [head = [], ...rows] = table.map((row) => row.map(cell));
  const widths = head.map((_, column) =>
    Math.max(3, ...[head, ...rows].map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((text, column) => text.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

export const code = (text: string) => `\`${text}\``;

export const codes = (texts: readonly string[]) => texts.map(code).join(', ') || '-';

/** Number with commas between thousands. */
export const number = (value: number) => value.toLocaleString('en-US');
