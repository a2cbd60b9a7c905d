/** What stands behind the question mark of an address: texts by name, several where a name is repeated. */
export type SearchParams = Partial<Record<string, string | string[]>>;

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

/** Empty values are left out. */
export function stringifySearch(search: Record<string, unknown>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    for (const one of [value].flat()) if (typeof one === 'string' && one !== '') params.append(name, one);
  }
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}
