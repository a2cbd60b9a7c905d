import type { guessLimits } from './guess-limits.ts';

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

export type LimitName = TierName | keyof typeof guessLimits;

/** Passwords that are compared at once in one server process: each takes 19 MiB, and a thread that files need too. */
export const passwordChecks = { inAll: 2, perSite: 2, waiting: 100, waitMs: 5_000 } as const;

/** Bounds of the paging parameters. */
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

/** Longest word of the query that a page of the site looks at, such as what is searched for. */
export const longestPageParameter = 200;

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
  /** Who takes nothing of what is sent for so long is cut off; Node notices after once to twice that time. */
  stalledMs: 30_000,
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

/** Most records that one call removes from the trash. While its transaction is open, nobody gets newer events. */
export const mostEmptied = 1_000;

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

/** Old addresses of a site that lead on: how many, and how long they and what they lead to may be. */
export const redirects = { perSite: 10_000, longestPath: 1_000, longestTarget: 2_000 } as const;

/** Mails that are kept where no mail server takes them, of all sites together. */
export const mostMailsKept = 1_000;

/** Links that show drafts: how many of a site work at once, and how many days one does: unasked, and at most. */
export const previews = { perSite: 100, days: 7, mostDays: 30 } as const;

/** How long the server waits for those who send and read, in milliseconds: while too little moves, and in all. */
export const timeouts = {
  /** Until a request is whole that brings no file. */
  requestMs: 60_000,
  /** While nothing is taken of an answer. */
  answerMs: 30_000,
  /** Until all of a large answer is taken, which has a turn meanwhile. */
  largeAnswerMs: 60_000,
  /** Until a document has come by which an assistant says who it is. */
  documentMs: 5_000,
  /** Files for a site. 50 MB take seven minutes at 1 Mbit/s. */
  upload: { stalledMs: 20_000, longestMs: 900_000, leastBytesPerSecond: 16 * 1024 },
  /** Whole sites, which move in or out. */
  transfer: { stalledMs: 30_000, longestMs: 3_600_000, leastBytesPerSecond: 64 * 1024 },
} as const;

/** Bodies that have not come whole, over all requests of a process: of those that come with no file. */
export const unfinishedBodies = { mostBytes: 32 * 1024 * 1024, checkMs: 100 } as const;

/** Page views: what strangers choose is bounded, since each label is kept for years. */
export const views = {
  /** Of the path of one, in UTF-16 units. */
  longestPath: 500,
  /** Distinct labels that a site keeps of a day; views with any other count as `(other)`. */
  labelsPerDay: { path: 5_000, referrer: 1_000, utm: 1_000 },
} as const;

/** `Idempotency-Key`: how long its answer is kept, and its length in characters. */
export const idempotency = { hours: 24, keyLength: { min: 1, max: 255 } } as const;

/** How long a session lasts, in days. */
export const sessionDays = { owner: 7, member: 30 } as const;

/** How long a browser keeps who signed in with it, in days. */
export const rememberedDays = 365;

/** Codes that members sign in with. */
export const signInCode = { minutes: 10, tries: 5 } as const;

/** Most characters of a slug. */
export const longestSlug = 200;

/** Fewest characters of an owner's password. */
export const shortestPassword = 10;

/** Seconds after a failed attempt of a delivery until the next one: 1 and 5 minutes, half an hour, 2 and 12 hours. */
export const retryDelaysSeconds = [60, 300, 1_800, 7_200, 43_200] as const;

/** Deliveries of events and those who get them. */
export const webhooks = {
  /** Attempts of one delivery in all. */
  attempts: retryDelaysSeconds.length + 1,
  /** Failed attempts in a row that switch a subscription off. */
  failuresToDisable: 10,
  /** Failed attempts in a row of which the owner is told. */
  failuresToNotify: 5,
  subscriptionsPerSite: 100,
  /** Of a secret that the caller chooses, in UTF-16 units. */
  secretLength: { min: 16, max: 256 },
  /** Most events of one replay. */
  eventsPerReplay: 10_000,
} as const;

/** Moving a site in and out. Sizes are in bytes. */
export const importExport = {
  /** Of a file that is sent to the server: an operator's command takes any. */
  uploadBytes: 2_000_000_000,
  /** Of what is packed in such a file. */
  unpackedBytes: 20_000_000_000,
  /** Of one record in a file: its texts, however they are escaped. */
  recordBytes: 8 * 1024 * 1024,
  /** Of what another system gave away: records; files, or posts and pages; characters of their names and addresses. */
  most: { records: 1_000_000, remembered: 100_000, characters: 20_000_000 },
  /** Exports and imports that owners began, in one server process: each takes room on the disk. */
  atOnce: { inAll: 2, perSite: 1, waiting: 10, waitMs: 2_000 },
  /** How long one waits for a site that another process moves. It holds up others of its own process meanwhile. */
  heldMs: 500,
  /** How long an address for one of them is good. */
  ticketMs: 60_000,
} as const;
