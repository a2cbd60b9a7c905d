/**
 * The numbers that callers may rely on, each standing here once.
 *
 * `bucket` tiers refill at `perMinute` and hold `burst` requests; a `window` tier never lets more than `perMinute`
 * through in any 60 seconds. `per` says what is counted: the client's address or the API key.
 */
export const tiers = {
  normal: { kind: 'bucket', perMinute: 60, burst: 10, per: 'ip' },
  moderate: { kind: 'bucket', perMinute: 10, burst: 5, per: 'ip' },
  strict: { kind: 'bucket', perMinute: 5, burst: 3, per: 'ip' },
  studio: { kind: 'bucket', perMinute: 600, burst: 100, per: 'ip' },
  site: { kind: 'bucket', perMinute: 600, burst: 100, per: 'ip' },
  mcp: { kind: 'bucket', perMinute: 120, burst: 30, per: 'ip' },
  mcp_writes: { kind: 'bucket', perMinute: 30, burst: 10, per: 'key' },
  poll: { kind: 'window', perMinute: 20, burst: 20, per: 'key' },
} as const satisfies Record<string, Tier>;

export type Tier = { kind: 'bucket' | 'window'; perMinute: number; burst: number; per: 'ip' | 'key' };

export type TierName = keyof typeof tiers;

export type LimitName = TierName | keyof typeof guessLimits | keyof typeof mailLimits;

export const paging = {
  cursor: { min: 1, max: 100, default: 20 },
  page: { min: 1, max: 200, default: 50 },
  poll: { min: 1, max: 200, default: 50 },
  deliveries: { min: 1, max: 100, default: 100 },
} as const;

/** What a page of the site lists: so many records, so many that stand in a line, such as skills, or addresses in a sitemap. */
export const listsOnPages = { records: 100, inLine: 1_000, inSitemap: 2_000 } as const;

/**
 * Characters of long texts: of one field that a page shows whole, in all, and how far into each one after that it reads. Lists
 * have so many `entries` there. `inFeeds`: of posts in a feed, where they don't fit into an answer together.
 */
export const textsOnPages = { whole: 100_000, beginning: 8_000, entries: 5, inFeeds: 1_000_000 } as const;

/** Answers with so much in them that they are sent piece by piece. */
export const largeAnswers = {
  /** What the texts of a list's records have in UTF-8. */
  fromBytes: 1024 * 1024,
  /** For a turn. */
  waitMs: 5_000,
} as const;

/** Who follows the event log over a connection that stays open. */
export const following = {
  /** At once, over all server processes. */
  perSite: 100,
  /** How often the log is read for them while anybody follows. */
  tickMs: 200,
  /** How often each one's key is looked at again. */
  checkMs: 5_000,
  /** A process that has not renewed the places of its followers for so long has lost them. */
  leaseMs: 20_000,
  /** After so long without an event a sign of life is sent. */
  heartbeatMs: 15_000,
  /** Events that wait in memory for one who is slower than they come; further ones are read from the log. */
  waitingEvents: 1_000,
} as const;

/** Most calls that one RPC request may hold; the client package splits what is more. */
export const maxBatchCalls = 20;

/** Largest request body, in bytes: 500,000 characters of content fit in any script. */
export const bodyLimitBytes = 2 * 1024 * 1024;

/** How long the previous secret of an API key stays valid, and that of a webhook signs, after a rotation. */
export const rotationOverlapHours = 24;

/** How long things are kept, in days. Events can be polled, and raw views counted, for as long; counts of days for two years. */
export const retentionDays = {
  events: 7,
  deliveries: 30,
  views: 90,
  viewCounts: 730,
  trash: 30,
  audit: 365,
} as const;

/** How many of its latest writes each record remembers. */
export const keptRevisions = 50;

/** Files that creators upload. How large one may be is in the plans. */
export const media = {
  /** Widths of the smaller copies of images, in pixels. */
  widths: [400, 800, 1_200, 1_600],
  /** Most pixels of an image: what decodes to more is refused, however few bytes it has. */
  mostPixels: 50_000_000,
  /** Longest name, in UTF-16 units. */
  longestName: 200,
  /** Longest alternative text, in UTF-16 units. */
  longestAlt: 500,
  /** Most images of one body that are shown in the size that fits; more keep their only size. */
  mostSized: 1_000,
  /** Uploads at once, in one server process. */
  atOnce: { inAll: 4, perSite: 3, waiting: 100, waitMs: 20_000 },
} as const;

/** How long the server waits for those who send and read, in milliseconds: while too little moves, and in all. */
export const timeouts = {
  /** Until a request is whole that brings no file. */
  requestMs: 60_000,
  /** Minimum speed of a client while bytes of any answer wait for it: as low as a radio stream of 32 kbit/s. */
  answer: { stalledMs: 30_000, leastBytesPerSecond: 4 * 1024 },
  /**
   * Large lists, each of which occupies the turn of its site. `stalledMs` and the speed count only while another list
   * waits for the turn; `stalledMs` is below `largeAnswers.waitMs`, so that a stalled reader makes no other list fail.
   */
  largeAnswer: { stalledMs: 3_000, longestMs: 60_000, leastBytesPerSecond: 16 * 1024 },
  /** Until a document has come by which an assistant says who it is. */
  documentMs: 5_000,
  /** Files for a site. 50 MB take seven minutes at 1 Mbit/s. */
  upload: { stalledMs: 20_000, longestMs: 900_000, leastBytesPerSecond: 16 * 1024 },
  /** Whole sites, which move in or out. */
  transfer: { stalledMs: 30_000, longestMs: 3_600_000, leastBytesPerSecond: 64 * 1024 },
} as const;

/** `Idempotency-Key`: how long its answer is kept, and its length in characters. */
export const idempotency = { hours: 24, keyLength: { min: 1, max: 255 } } as const;

/** How long a session lasts, in days. */
export const sessionDays = { owner: 7, member: 30 } as const;

export const longestSlug = 200;

export const shortestPassword = 10;

/** Seconds after a failed attempt of a delivery until the next one: 1 and 5 minutes, half an hour, 2 and 12 hours. */
export const retryDelaysSeconds = [60, 300, 1_800, 7_200, 43_200] as const;

/**
 * Bounds on tries to sign in, on codes to sign in with, and on clients of assistants. They count in addition to the strict
 * tier and are off while it is: `most` in any `minutes`, of one person, of all together, of a browser that the person
 * signed in with before (`…_browser`), or of a person who is signed in or gave the right password (`…_inside`). Tries that
 * succeed do not count. `…_everywhere` counts one mailbox over all sites.
 */
export const guessLimits = {
  guesses_person: { most: 10, minutes: 15 },
  guesses_all: { most: 300, minutes: 1 },
  guesses_browser: { most: 10, minutes: 15 },
  guesses_inside: { most: 10, minutes: 15 },
  codes_mailbox: { most: 20, minutes: 1_440 },
  codes_everywhere: { most: 40, minutes: 1_440 },
  codes_browser: { most: 10, minutes: 15 },
  registrations: { most: 20, minutes: 60 },
  assistant_tokens: { most: 60, minutes: 1 },
} as const satisfies Record<string, Size>;

/**
 * Bounds on email that a site sends on request: confirmations of newsletters, invitations and test emails, of one site
 * and to one mailbox. No setting changes them: they protect mailboxes of others and the reputation of the mail server.
 */
export const mailLimits = {
  confirmations_pause: { most: 1, minutes: 10 },
  confirmations_mailbox: { most: 3, minutes: 1_440 },
  confirmations_everywhere: { most: 10, minutes: 1_440 },
  confirmations_site: { most: 60, minutes: 60 },
  invitations_site: { most: 60, minutes: 60 },
  invitations_mailbox: { most: 5, minutes: 1_440 },
  mailing_tests: { most: 10, minutes: 60 },
} as const satisfies Record<string, Size>;

interface Size {
  most: number;
  minutes: number;
}
