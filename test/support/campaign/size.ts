import { leaseMsOf } from '../../../worker/deliveries/dispatcher.ts';

/** What befalls a campaign. */
export type FaultName =
  | 'kill -9 of a worker'
  | 'kill -9 of a server'
  | 'a worker frozen for longer than its lease'
  | 'PostgreSQL restarted'
  | 'network to the database stalled'
  | 'network to a receiver stalled';

/** How large a campaign is, and the settings of its processes. */
export interface Size {
  /** Events that are committed in all. */
  events: number;
  /** After so many minutes nothing more is begun: what was is checked all the same. */
  minutes: number;
  /** How often each fault strikes. */
  strikes: Record<FaultName, number>;
  /** Longest pause of a writer after a write, in milliseconds. */
  pauseMs: number;
  /** Length of a stalled network, in milliseconds: from, to. */
  stallMs: readonly [number, number];
  /** `WEBHOOK_TIMEOUT_MS` */
  timeoutMs: number;
  /** `WEBHOOK_RETRY_SECONDS` */
  retrySeconds: readonly number[];
}

export const leaseMs = ({ timeoutMs }: Size) => leaseMsOf(timeoutMs);

/** Every fault at least once, in little time. */
export const short: Size = {
  events: 200,
  minutes: 3,
  strikes: {
    'kill -9 of a worker': 2,
    'kill -9 of a server': 1,
    'a worker frozen for longer than its lease': 1,
    'PostgreSQL restarted': 1,
    'network to the database stalled': 2,
    'network to a receiver stalled': 1,
  },
  pauseMs: 60,
  stallMs: [500, 1_500],
  timeoutMs: 2_000,
  retrySeconds: [0.2, 0.4, 0.8, 1.6, 3.2],
};

/** Attempts take as long as by default, so that a dead worker's are recovered as they would be; retries come sooner. */
export const long: Size = {
  events: 50_000,
  minutes: 45,
  strikes: {
    'kill -9 of a worker': 140,
    'kill -9 of a server': 60,
    'a worker frozen for longer than its lease': 20,
    'PostgreSQL restarted': 20,
    'network to the database stalled': 12,
    'network to a receiver stalled': 8,
  },
  pauseMs: 200,
  stallMs: [1_000, 14_000],
  timeoutMs: 10_000,
  retrySeconds: [1, 2, 4, 8, 16],
};
