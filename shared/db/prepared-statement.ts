import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';

const mark = '/* prepared statement */';

/**
 * At the front of a statement: PostgreSQL parses and plans it once per connection, which for a lookup by index is most
 * of its cost. Only for texts that never vary, since each stays in memory, and whose best plan is the same for all
 * values: what a partial index depends on is written out, not a parameter.
 */
export const preparedStatement = sql.raw(mark);

/** A connection that prepares the statements that ask for it. */
export class PreparingClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const query = this.query.bind(this) as (text: unknown, ...rest: unknown[]) => unknown;
    const names = new Map<string, string>();
    const prepared = (text: unknown) => {
      if (typeof text !== 'string' || !text.slice(0, 30).includes(mark)) return text;
      const name = names.get(text) ?? createHash('sha1').update(text).digest('hex');
      names.set(text, name);
      return { name, text };
    };
    // pg declares many forms of this method; only its first argument is looked at, and all forms pass through.
    this.query = ((text: unknown, ...rest: unknown[]) => query(prepared(text), ...rest)) as typeof this.query;
  }
}
