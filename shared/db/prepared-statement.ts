import { createHash } from 'node:crypto';
import { sql } from 'kysely';

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
