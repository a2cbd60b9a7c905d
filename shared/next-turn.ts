/**
 * Begins work when the next turn of the event loop is over: for all who come in this one or that one, and together with whatever
 * else is begun so in this turn, so that nobody waits for one answer of the database before another is asked for.
 */
export const afterNextTurn = (begin: () => void) => void setImmediate(() => setImmediate(begin));
