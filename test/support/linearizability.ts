/**
 * Whether what clients saw of one thing, all at once, could have happened one after the other: each operation at one moment
 * between its begin and its end. This is the search of Wing and Gong ("Testing and verifying concurrent objects", 1993),
 * which doesn't come back to where it has been, as Lowe's ("Testing for linearizability", 2017).
 */

export interface Operation<State extends string | number> {
  /** Places in one order of all begins and ends that the clients took part in. */
  began: number;
  /** Infinity where no answer came: it may have happened at any time since, or never. */
  ended: number;
  /** What it leaves of what it finds; null where it can't have found that. */
  step: (state: State) => State | null;
  /** One that leaves everything as it was: where it fits it can be put at once. */
  isRead: boolean;
  /** For whoever reads of a contradiction. */
  about: string;
}

/** Where a search has come to: those that began before `next` have happened, but for those that wait. */
interface Place<State> {
  next: number;
  waiting: readonly number[];
  state: State;
}

/**
 * Null where there is an order of all that ended. Else the state that the furthest order found comes to, and the operations that
 * can't follow there.
 */
export function findContradiction<State extends string | number>(
  history: readonly Operation<State>[],
  start: State,
): { found: State; impossible: string[] } | null {
  const operations = history.toSorted((one, other) => one.began - other.began);
  const been = new Set<string>();
  const places: Place<State>[] = [{ next: 0, waiting: [], state: start }];
  let furthest = { happened: -1, found: start, impossible: [] as string[] };
  for (let place = places.pop(); place; place = places.pop()) {
    const key = `${place.next} ${place.waiting.join()} ${place.state}`;
    if (been.has(key)) continue;
    been.add(key);
    const candidates = findCandidates(operations, place);
    if (candidates.every(({ operation }) => operation.ended === Infinity)) return null;
    const happened = place.next - place.waiting.length;
    if (happened > furthest.happened) {
      const impossible = candidates.map(({ operation }) => operation.about);
      furthest = { happened, found: place.state, impossible };
    }
    const following = candidates.flatMap(({ operation, index }) => {
      const state = operation.step(place.state);
      return state === null ? [] : [{ operation, place: goOn(place, index, state) }];
    });
    const read = following.find(({ operation }) => operation.isRead);
    places.push(...(read ? [read] : following).map((step) => step.place));
  }
  const { found, impossible } = furthest;
  return { found, impossible };
}

/** What can happen next: all that began before any that has not happened yet had ended. */
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
