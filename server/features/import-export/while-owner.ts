import { ApiError } from '../../kernel/api-error.ts';
import type { Infrastructure } from '../../kernel/deps.ts';
import { requireOwner, type Ticket } from './tickets.ts';

/** Looks in the time after which whoever sends or reads nothing is cut off: each 5 s. */
const perTimeout = 6;

/** Whether a move may go on. */
export interface Leave {
  /** Aborted soon after that has ended. */
  ended: AbortSignal;
  /** Asks now. Throws `not_found`. */
  ask(): Promise<void>;
}

/** Does work that takes long, and is told when whoever began it is no owner of the site any more. */
export async function whileOwner<T>(
  deps: Pick<Infrastructure, 'database' | 'timeouts'>,
  ticket: Pick<Ticket, 'siteId' | 'actor'>,
  work: (leave: Leave) => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  const ask = () => requireOwner(deps, ticket);
  const looking = setInterval(() => {
    // Where the database could not be asked, it is asked again.
    ask().catch((reason: unknown) => reason instanceof ApiError && ended.abort(reason));
  }, deps.timeouts.transfer.stalledMs / perTimeout);
  try {
    return await work({ ended: ended.signal, ask });
  } finally {
    clearInterval(looking);
  }
}
