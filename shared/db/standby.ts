import pg from 'pg';
import { preparedMark } from './marks.ts';
import {
  openStandbyConnections,
  type StandbyConnection,
  type StandbyOptions,
  unknownState,
} from './standby-connections.ts';
import { covers, follows, type Seen, type StandbyState, standbyState } from './wal-position.ts';

/** A standby that is silent for so long is not waited for: whoever asks it goes to the primary. */
const patienceMs = 5;

/** PostgreSQL ended a statement, here since its time was over. */
const cancelled = '57014';

interface Statement {
  text: string;
  values: readonly unknown[];
}

export type Standby = ReturnType<typeof openStandby>;

/** A standby to read from. */
export function openStandby(options: StandbyOptions) {
  const connections = openStandbyConnections(options);
  let late = 0;

  /** Until it has answered, nobody else asks. */
  function noteLate(looked: Promise<unknown>) {
    late += 1;
    looked.catch(connections.leave).finally(() => {
      late -= 1;
    });
  }

  return {
    open: connections.open,
    close: connections.close,
    isReady: () => late === 0 && connections.hasIdle(),
    /** Rows of a moment at which the collections were as they were seen; null where they have to be asked for elsewhere. */
    async read<Row extends object>(
      seen: Seen,
      statement: Statement,
      onSlow: () => void,
    ): Promise<Row[] | null> {
      const connection = connections.take();
      if (!connection) return null;
      const asked: Promise<unknown>[] = [];
      const ask = <T>(answer: Promise<T>) => {
        answer.catch(() => {});
        asked.push(answer);
        return answer;
      };
      try {
        if (!covers(connection.last, seen)) {
          const looked = ask(look(connection));
          const state = await inTime(looked);
          if (!state) noteLate(looked);
          if (!state || !covers(state, seen)) return null;
        }
        const { begun, found } = fetch<Row>(connection, seen, statement);
        asked.push(begun, found);
        found.catch(() => {});
        if (!(await inTime(begun))) {
          noteLate(begun);
          return null;
        }
        const { rows, state, version } = await found;
        return follows(state, seen) && version === seen.version ? rows : null;
      } catch (error) {
        if (error instanceof pg.DatabaseError && error.code === cancelled) onSlow();
        // Whatever failed: the primary answers, or says so.
        return null;
      } finally {
        Promise.allSettled(asked).then(() => connections.giveBack(connection));
      }
    },
  };
}

async function look(connection: StandbyConnection): Promise<StandbyState> {
  const { rows } = await connection.client.query<StandbyState>(lookText);
  connection.last = rows[0] ?? unknownState;
  return connection.last;
}

const lookText = `${preparedMark} select ${standbyState}`;

const snapshotText = `${preparedMark} select ${standbyState}, (
  select coalesce(sum(version), 0) from collection_state where site_id = $1 and collection = any($2::text[])) as version`;

/**
 * The rows, and how the collections were, as one snapshot has them, sent in one go. The snapshot is there when the server says
 * what it follows: what it becomes later changes nothing of it.
 */
function fetch<Row extends object>(
  connection: StandbyConnection,
  { siteId, collections }: Seen,
  { text, values }: Statement,
) {
  const { client } = connection;
  const begun = client.query('begin isolation level repeatable read, read only');
  const looked = client.query<StandbyState & { version: number }>(snapshotText, [siteId, collections]);
  const fetched = client.query<Row>(text, [...values]);
  const found = Promise.all([begun, looked, fetched, client.query('commit')]).then(
    ([, { rows: states }, { rows }]) => {
      const { version, ...state } = states[0] ?? { ...unknownState, version: Number.NaN };
      connection.last = state;
      return { rows, state, version };
    },
  );
  return { begun, found };
}

/** Undefined when it takes longer than anybody waits. */
async function inTime<T>(answer: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<undefined>((resolve) => {
    // What came while this process was busy counts as in time.
    timer = setTimeout(() => setImmediate(resolve, undefined), patienceMs);
  });
  try {
    return await Promise.race([answer, over]);
  } finally {
    clearTimeout(timer);
  }
}
