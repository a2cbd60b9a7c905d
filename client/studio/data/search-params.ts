/** Query parameters of an address by name; an array if a name is repeated. */
export type SearchParams = Partial<Record<string, string | string[]>>;

/**
 * Parses the query parameters of an address. A parameter without a value is an empty text; one that occurs several times is
 * a list.
 */
export function parseSearch(text: string): SearchParams {
  const params = new URLSearchParams(text);
  const names = [...new Set(params.keys())];
  return Object.fromEntries(
    names.map((name) => {
      const [first = '', ...more] = params.getAll(name);
      return [name, more.length === 0 ? first : [first, ...more]];
    }),
  );
}

/** Serializes query parameters after a question mark, without empty values. Empty if none is left. */
export function stringifySearch(search: Record<string, unknown>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    for (const one of [value].flat()) if (typeof one === 'string' && one !== '') params.append(name, one);
  }
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}
