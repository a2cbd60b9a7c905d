import type { EventName } from '../../shared/contract/events.ts';

/** An event's place in the log. The moment is PostgreSQL's own text: it has microseconds, which a Date would lose. */
export interface EventPosition {
  moment: string;
  id: string;
}

/** An event as the log holds it. */
export interface LogRow extends EventPosition {
  site_id: string;
  name: EventName;
  body: string;
}

/** Reads new events on behalf of all who follow them in this process. */
export interface LiveLog {
  /** Begins to collect a site's events of these names. Rejects when the database can't be asked. */
  join(siteId: string, names: readonly EventName[]): Promise<LiveEvents>;
}

/** New events of one site, in the order of the log, until it is disposed of. */
export interface LiveEvents extends Disposable {
  /** What is older than this moment stands in the log; what is not gets collected. */
  readonly from: string;
  /**
   * What has come since it was last asked, as soon as there is something; nothing once `signal` aborts. Null when more
   * came than may wait: what was collected is gone, and stands in the log.
   */
  next(signal: AbortSignal): Promise<readonly LogRow[] | null>;
}

/** One who follows a site's events. */
export interface Follower {
  siteId: string;
  /** What `check` looks at: it is called once for all who have the same. */
  credentials: string;
  /** Rejects with an `ApiError` when the follower may no longer follow. */
  check(): Promise<void>;
  end(reason: unknown): void;
}

/** The places that each site has for followers, over all processes. */
export interface FollowerPositions {
  /** Takes one and keeps it until what is returned gives it back. Throws `too_many_followers`. */
  take(follower: Follower): Promise<() => void>;
  /** How many this process has taken. */
  taken(): number;
}

/** How following goes: `following` in `shared/contract/limits.ts`; tests have shorter times. */
export interface FollowTimes {
  tickMs: number;
  checkMs: number;
  leaseMs: number;
  heartbeatMs: number;
  stalledMs: number;
  waitingEvents: number;
}
