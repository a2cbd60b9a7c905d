/** Rows of a generated table; the first one is its head. */
export type Table = readonly (readonly string[])[];

const cell = (text: string) => text.replaceAll('|', '\\|').replace(/\s+/g, ' ');

const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;

/** Returns a table in Markdown. It is not padded, so that a changed row changes one line. */
export const markdownTable = ([head = [], ...rows]: Table): string =>
  [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');

export const code = (text: string) => `\`${text}\``;

export const codes = (texts: readonly string[]) => texts.map(code).join(', ') || '-';

/** Number with commas between thousands. */
export const number = (value: number) => value.toLocaleString('en-US');
