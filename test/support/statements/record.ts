import pg from 'pg';

/**
 * Records the distinct texts of all statements that this process sends on later connections, each with the occasion
 * when it was first sent. `heard` receives every execution.
 */
export function recordStatements(heard: (text: string, values: unknown) => void = () => {}) {
  const sent = new Map<string, string>();
  let occasion = '';
  const query: unknown = Reflect.get(pg.Client.prototype, 'query');
  if (typeof query !== 'function') throw new Error('pg.Client has no method query');
  Reflect.set(pg.Client.prototype, 'query', function recorded(this: pg.Client, ...args: unknown[]) {
    const text = textOf(args[0]);
    const values: unknown = Array.isArray(args[1]) ? args[1] : Reflect.get(Object(args[0]), 'values');
    if (text !== undefined) heard(text, values);
    if (text !== undefined && !sent.has(text)) sent.set(text, occasion);
    return Reflect.apply(query, this, args);
  });
  return {
    occasion: () => occasion,
    sent: sent as ReadonlyMap<string, string>,
    /** Sets the occasion of the following statements. */
    during(name: string) {
      occasion = name;
    },
    [Symbol.dispose]: () => void Reflect.set(pg.Client.prototype, 'query', query),
  };
}

/** Returns the text of a query: a text, an object with one, or a stream of rows. */
function textOf(requested: unknown): string | undefined {
  if (typeof requested === 'string') return requested;
  if (typeof requested !== 'object' || requested === null) return undefined;
  const text: unknown =
    Reflect.get(requested, 'text') ?? Reflect.get(Object(Reflect.get(requested, 'cursor')), 'text');
  return typeof text === 'string' ? text : undefined;
}
