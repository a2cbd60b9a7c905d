import pg from 'pg';

/**
 * The texts of all statements that this process sends over connections that it opens from now on, each once, with when it
 * was first sent. `heard` is told of each, however often.
 */
export function recordStatements(heard: (text: string, values: unknown) => void = () => {}) {
  const sent = new Map<string, string>();
  let occasion = '';
  const query: unknown = Reflect.get(pg.Client.prototype, 'query');
  if (typeof query !== 'function') throw new Error('pg has no method to ask by');
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
    /** What is sent from now on is sent by this. */
    during(name: string) {
      occasion = name;
    },
    [Symbol.dispose]: () => void Reflect.set(pg.Client.prototype, 'query', query),
  };
}

/** Of a text, of settings with one, or of what streams rows by one. */
function textOf(asked: unknown): string | undefined {
  if (typeof asked === 'string') return asked;
  if (typeof asked !== 'object' || asked === null) return undefined;
  const text: unknown =
    Reflect.get(asked, 'text') ?? Reflect.get(Object(Reflect.get(asked, 'cursor')), 'text');
  return typeof text === 'string' ? text : undefined;
}
