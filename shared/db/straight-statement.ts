import { type Kysely, type RawBuilder, sql } from 'kysely';
import { preparedStatement } from './client.ts';

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
export function statementWithPlaceholders<V extends Values, Row extends object>(
  names: readonly (keyof V & string)[],
  write: (places: Record<keyof V & string, RawBuilder<unknown>>) => RawBuilder<Row>,
) {
  let written: { text: string; places: readonly unknown[] } | undefined;
  const writeOnce = <DB>(db: Kysely<DB>) => {
    const entries = names.map((name) => [name, sql.val(new Place(name))]);
    const query = sql`${preparedStatement}${write(Object.fromEntries(entries))}`.compile(db);
    return { text: query.sql, places: query.parameters };
  };
  return (database: StatementDatabase, values: V): Promise<readonly Row[]> => {
    written ??= writeOnce(database.em.getKysely());
    const parameters = written.places.map((place) => (place instanceof Place ? values[place.name] : place));
    return database.rows<Row>(written.text, parameters);
  };
}

/** What such a statement is written by, and sent: straight to `pg`, since all else on the way takes longer than that. */
interface StatementDatabase {
  em: { getKysely(): Kysely<unknown> };
  rows<Row extends object>(text: string, values: readonly unknown[]): Promise<readonly Row[]>;
}
