import { createHash } from 'node:crypto';
import { CompiledQuery, type Kysely, type QueryResult, type RawBuilder, sql } from 'kysely';

const mark = '/* prepared statement */';

/**
 * At the front of a statement: PostgreSQL parses and plans it once per connection, which for a lookup by index is most
 * of its cost. Only for texts that never vary, since each stays in memory, and whose best plan is the same for all
 * values: what a partial index depends on is written out, not a parameter.
 */
export const preparedStatement = sql.raw(mark);

/** Gives a statement that asks to be prepared a name of its own; others come back as they are. */
export function createStatementNames() {
  const names = new Map<string, string>();
  return (text: unknown) => {
    if (typeof text !== 'string' || !text.slice(0, 2 * mark.length).includes(mark)) return text;
    const name = names.get(text) ?? createHash('sha1').update(text).digest('hex');
    names.set(text, name);
    return { name, text };
  };
}

type Values = Record<string, unknown>;

/** Stands where a value goes that is known when the statement runs. */
class Place {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/**
 * A prepared statement whose text is written once per process too, which takes longer than running it where many share
 * one. `write` is given what to put where each of the values goes.
 */
export function statementWithPlaces<V extends Values, Row>(
  names: readonly (keyof V & string)[],
  write: (places: Record<keyof V & string, RawBuilder<unknown>>) => RawBuilder<Row>,
) {
  let written: { text: string; places: readonly unknown[] } | undefined;
  const writeOnce = <DB>(db: Kysely<DB>) => {
    const entries = names.map((name) => [name, sql.val(new Place(name))]);
    const query = sql`${preparedStatement}${write(Object.fromEntries(entries))}`.compile(db);
    return { text: query.sql, places: query.parameters };
  };
  return <DB>(db: Kysely<DB>, values: V): Promise<QueryResult<Row>> => {
    written ??= writeOnce(db);
    const parameters = written.places.map((place) => (place instanceof Place ? values[place.name] : place));
    return db.executeQuery(CompiledQuery.raw(written.text, parameters));
  };
}
