/**
 * Checks whether the concurrent observations of clients could result from a sequential order. In that order each
 * operation happens at one time between its start and end. This is the search of Wing and Gong ("Testing and verifying
 * concurrent objects", 1993). It skips visited states, as in Lowe's version ("Testing for linearizability", 2017).
 */

export interface Operation<State extends string | number> {
  /** Position of its start in one order of all starts and ends of the clients. */
  began: number;
  /** Position of its end. Infinity if there was no answer: it may have happened at any later time, or never. */
  ended: number;
  /** Returns the state after the operation, given the state before; null if that state is impossible for it. */
  step: (state: State) => State | null;
  /** True if it changes nothing. A possible read can be placed immediately. */
  isRead: boolean;
  /** Description for the report of a contradiction. */
  about: string;
}

/** State of the search: operations before `next` have happened, except those in `waiting`. */
interface Place<State> {
  next: number;
  waiting: readonly number[];
  state: State;
}

/**
 * Searches an order of all operations with an answer. Null if there is one. Otherwise returns the state that the
 * longest order reached, and the operations that are impossible there.
 */
export function findContradiction<State extends string | number>(
  history: readonly Operation<State>[],
  start: State,
): { found: State; impossible: string[] } | null {
  const operations = history.toSorted((one, other) => one.began - other.began);
  const been = new Set<string>();
  const positions: Place<State>[] = [{ next: 0, waiting: [], state: start }];
  let furthest = { happened: -1, found: start, impossible: [] as string[] };
  for (let position = positions.pop(); position; position = positions.pop()) {
    const key = `${position.next} ${position.waiting.join()} ${position.state}`;
    if (been.has(key)) continue;
    been.add(key);
    const candidates = findCandidates(operations, position);
    if (candidates.every(({ operation }) => operation.ended === Infinity)) return null;
    const happened = position.next - position.waiting.length;
    if (happened > furthest.happened) {
      const impossible = candidates.map(({ operation }) => operation.about);
      furthest = { happened, found: position.state, impossible };
    }
    const following = candidates.flatMap(({ operation, index }) => {
      const state = operation.step(position.state);
      return state === null ? [] : [{ operation, place: goOn(position, index, state) }];
    });
    const read = following.find(({ operation }) => operation.isRead);
    positions.push(...(read ? [read] : following).map((step) => step.place));
  }
  const { found, impossible } = furthest;
  return { found, impossible };
}

/** Returns the operations that can happen next: those that started before any other remaining operation ended. */
function findCandidates<State extends string | number>(
  operations: readonly Operation<State>[],
  { next, waiting }: Place<State>,
) {
  const candidates: { index: number; operation: Operation<State> }[] = [];
  let firstEnd = Infinity;
  const take = (index: number) => {
    const operation = operations[index];
    if (!operation || operation.began > firstEnd) return false;
    firstEnd = Math.min(firstEnd, operation.ended);
    return candidates.push({ index, operation });
  };
  if (waiting.every(take)) for (let index = next; take(index); ) index += 1;
  return candidates;
}

function goOn<State>({ next, waiting }: Place<State>, index: number, state: State): Place<State> {
  if (index < next) return { next, waiting: waiting.filter((other) => other !== index), state };
  const passed = Array.from({ length: index - next }, (_, at) => next + at);
  return { next: index + 1, waiting: [...waiting, ...passed], state };
}
