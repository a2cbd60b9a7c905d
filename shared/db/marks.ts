import { createHash } from 'node:crypto';
import { sql } from 'kysely';

// What statements say at their front of how they are sent.

export const preparedMark = '/* prepared statement */';

export const lastMark = '/* last statement */';

/**
 * At the front of a statement behind which its transaction, if it is in one, has only to be committed: that is asked for along
 * with it.
 */
export const lastStatement = sql.raw(lastMark);

export const followedMark = '/* followed statement */';

/**
 * At the front of a statement of a transaction that goes on whatever it answers: instead of its rows comes one that has its
 * answer. Should it fail, so does all that follows.
 */
export const followedStatement = sql.raw(followedMark);

/** The row in place of those of a statement that is followed. */
export interface Followed {
  answer?: Promise<unknown>;
}

const mostCharacters = 2 * (preparedMark.length + lastMark.length + followedMark.length);

/** Whether a statement has a mark. */
export const isMarked = (text: unknown, mark: string): text is string =>
  typeof text === 'string' && text.slice(0, mostCharacters).includes(mark);

/** Gives a statement that asks to be prepared a name of its own; others come back as they are. */
export function createStatementNames() {
  const names = new Map<string, string>();
  return (text: unknown) => {
    if (!isMarked(text, preparedMark)) return text;
    const name = names.get(text) ?? createHash('sha1').update(text).digest('hex');
    names.set(text, name);
    return { name, text };
  };
}
