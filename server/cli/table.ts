/** Formats rows as aligned columns under their names; `none` without rows. */
export function table(rows: readonly Record<string, unknown>[]): string {
  const [first] = rows;
  if (!first) return 'none';
  const names = Object.keys(first);
  const lines = [names, ...rows.map((row) => names.map((name) => cell(row[name])))];
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function cell(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-';
  if (Array.isArray(value)) return value.length > 0 ? value.join(',') : '-';
  return value instanceof Date ? value.toISOString() : String(value);
}
