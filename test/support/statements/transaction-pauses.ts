import pg from 'pg';

/** Turns of the event loop between an answer and the next statement; a batch loader takes two. */
const maxTurns = 4;

/**
 * Records transactions that pause between two statements: their code waits for a timer, file, thread, connection or the
 * network while it holds locks. `occasion` names what the process does at the time. Snapshots of large answers and exports begin
 * with an isolation level, lock nothing, and are not recorded.
 */
export function recordTransactionPauses(occasion: () => string) {
  const pauses = new Set<string>();
  const trackers = new WeakMap<pg.Client, ReturnType<typeof createTracker>>();
  const query: unknown = Reflect.get(pg.Client.prototype, 'query');
  if (typeof query !== 'function') throw new Error('pg.Client has no method query');
  const trackerOf = (client: pg.Client) => {
    const known = trackers.get(client);
    if (known) return known;
    const tracker = createTracker((after) => pauses.add(`${occasion()}: after ${after}`));
    client.connection.on('readyForQuery', ({ status }: { status?: string }) => tracker.answered(status));
    trackers.set(client, tracker);
    return tracker;
  };
  Reflect.set(pg.Client.prototype, 'query', function tracked(this: pg.Client, ...args: unknown[]) {
    trackerOf(this).sent(textOf(args[0]));
    return Reflect.apply(query, this, args);
  });
  return {
    pauses: pauses as ReadonlySet<string>,
    [Symbol.dispose]: () => void Reflect.set(pg.Client.prototype, 'query', query),
  };
}

/** Counts the turns that pass in a transaction of one connection while no statement is running. */
function createTracker(onPause: (lastStatement: string) => void) {
  let [pending, sent, last, isTracked] = [0, 0, '', false];
  const countTurns = (statement: number, turns: number) => {
    if (statement !== sent) return;
    if (turns > maxTurns) onPause(last);
    else setImmediate(countTurns, statement, turns + 1);
  };
  return {
    sent(text: string) {
      pending += 1;
      sent += 1;
      last = text;
      if (text.startsWith('begin')) isTracked = true;
    },
    answered(status: string | undefined) {
      pending -= 1;
      if (status === 'I') isTracked = false;
      if (pending === 0 && isTracked) countTurns(sent, 0);
    },
  };
}

const textOf = (requested: unknown) =>
  `${typeof requested === 'string' ? requested : Reflect.get(Object(requested), 'text')}`
    .replace(/\s+/g, ' ')
    .trim();
