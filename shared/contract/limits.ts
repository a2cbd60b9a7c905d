/**
 * Rate limits by tier. This file contains the numbers that callers may rely on, each once.
 *
 * `perMinute` is in requests. A `bucket` tier refills at that rate and holds `burst` requests. A `window` tier never
 * accepts more than `perMinute` requests in any 60 seconds. `per` is the unit that is counted: the client's IP address
 * or the API key.
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

/** Rate limit: `perMinute` and `burst` in requests, `per` IP address or API key. */
export type Tier = { kind: 'bucket' | 'window'; perMinute: number; burst: number; per: 'ip' | 'key' };

export type TierName = keyof typeof tiers;

export type LimitName = TierName | keyof typeof signInLimits | keyof typeof mailLimits;

/** Minimum, maximum and default number of records per page, by the kind of list. */
export const paging = {
  cursor: { min: 1, max: 100, default: 20 },
  page: { min: 1, max: 200, default: 50 },
  poll: { min: 1, max: 200, default: 50 },
  deliveries: { min: 1, max: 100, default: 100 },
} as const;

/**
 * Maximum number of entries per page of the site: records, short entries in one line such as skills, or URLs in a
 * sitemap.
 */
export const listsOnPages = { records: 100, inLine: 1_000, inSitemap: 2_000 } as const;

/**
 * Maximum lengths of long texts on pages and in feeds, in characters. On a list page, a field is complete in the
 * first records, up to `whole` characters in all of them together. Later records contain the first `beginning`
 * characters of the field, or the first `entries` entries of a list. A feed has the bodies of its first posts, up to
 * `inFeeds` characters together. Later posts have excerpts.
 */
export const textsOnPages = { whole: 100_000, beginning: 8_000, entries: 5, inFeeds: 1_000_000 } as const;

/** Rules for answers that are sent in pieces, because their records contain much text. */
export const largeAnswers = {
  /** Minimum length of the texts in a list, in bytes of UTF-8, from which these rules apply. */
  fromBytes: 1024 * 1024,
  /** Maximum time that a large list waits until it may be sent, in milliseconds. After that the request fails. */
  waitMs: 5_000,
} as const;

/** Rules for followers: clients that follow the event log over an open connection. */
export const following = {
  /** Maximum number of followers per site, over all server processes. */
  perSite: 100,
  /** Interval between reads of the event log while there are followers, in milliseconds. */
  tickMs: 200,
  /** Interval between checks of each follower's key, in milliseconds. */
  checkMs: 5_000,
  /** Lease of a follower's slot, in milliseconds. A process that does not renew it in time loses the slot. */
  leaseMs: 20_000,
  /** Interval after which a heartbeat is sent if there was no event, in milliseconds. */
  heartbeatMs: 15_000,
  /** Maximum number of events in memory for a slow follower. Later events are read from the log. */
  waitingEvents: 1_000,
} as const;

/** Maximum number of calls in one RPC request. The client package splits larger batches. */
export const maxBatchCalls = 20;

/** Maximum size of a request body, in bytes. It fits 500,000 characters of content in any script. */
export const bodyLimitBytes = 2 * 1024 * 1024;

/**
 * Time after a rotation during which the previous secret stays valid, in hours. This applies to API keys and to the
 * signing secrets of webhooks.
 */
export const rotationOverlapHours = 24;

/** Retention of stored data, in days. `viewCounts` are counts per day; `views` are the raw views that filters need. */
export const retentionDays = {
  events: 7,
  deliveries: 30,
  views: 90,
  viewCounts: 730,
  trash: 30,
  audit: 365,
  checkouts: 90,
} as const;

/** Maximum number of revisions that are kept per record. */
export const keptRevisions = 50;

/** Limits of uploaded files. The maximum size of a file depends on the plan. */
export const media = {
  /** Widths of renditions, in pixels. */
  widths: [400, 800, 1_200, 1_600],
  /** Maximum number of pixels of an image. Larger images are refused, however few bytes they have. */
  maxPixels: 50_000_000,
  /** Maximum length of a file name, in UTF-16 units. */
  maxNameLength: 200,
  /** Maximum length of an alternative text or a caption, in UTF-16 units. */
  maxAltLength: 500,
  /**
   * Maximum number of images in one body that are shown with renditions. Further images are shown in their original
   * size.
   */
  maxResizedImages: 1_000,
  /** Concurrency quota of uploads in one server process. `waitMs` is in milliseconds. */
  atOnce: { inAll: 4, perSite: 3, waiting: 100, waitMs: 20_000 },
} as const;

/**
 * Time limits of the server for slow clients, in milliseconds. `stalledMs` is the window in which the minimum speed is
 * measured, `maxMs` the maximum duration.
 */
export const timeouts = {
  /** Maximum time until a request without a file has arrived completely. */
  requestMs: 60_000,
  /** Minimum speed of a client while bytes of an answer wait for it: that of a radio stream with 32 kbit/s. */
  answer: { stalledMs: 30_000, minBytesPerSecond: 4 * 1024 },
  /**
   * Large lists, of which a site sends one at a time. `stalledMs` and the speed apply only while another list waits.
   * `stalledMs` is below `largeAnswers.waitMs`, so that a stalled reader makes no other list fail.
   */
  largeAnswer: { stalledMs: 3_000, maxMs: 60_000, minBytesPerSecond: 16 * 1024 },
  /** Maximum time to fetch the metadata document of an assistant. */
  documentMs: 5_000,
  /** Uploaded files. 50 MB take seven minutes at 1 Mbit/s. */
  upload: { stalledMs: 20_000, maxMs: 900_000, minBytesPerSecond: 16 * 1024 },
  /** Exports and imports of sites. */
  transfer: { stalledMs: 30_000, maxMs: 3_600_000, minBytesPerSecond: 64 * 1024 },
} as const;

/** `Idempotency-Key`: retention of its answer in hours, and its length in characters. */
export const idempotency = { hours: 24, keyLength: { min: 1, max: 255 } } as const;

/** Lifetimes of sessions, in days. */
export const sessionDays = { owner: 7, member: 30 } as const;

/** Maximum length of a slug, in characters. */
export const maxSlugLength = 200;

/** Minimum length of a password, in UTF-16 units. */
export const minPasswordLength = 10;

/**
 * Delays between a failed attempt of a delivery and the next one, in seconds: 1 and 5 minutes, half an hour, 2 and 12
 * hours.
 */
export const retryDelaysSeconds = [60, 300, 1_800, 7_200, 43_200] as const;

/**
 * Limits of attempts to sign in, of sign-in codes, and of requests by clients of assistants. They apply in addition to
 * the tier `strict`, and are turned off together with it.
 *
 * Each allows `max` attempts in any `minutes`. `…_person` counts one person, `…_all` everyone together. `…_browser`
 * counts attempts from a browser in which the person signed in before. `…_inside` counts people who are signed in or
 * sent the right password. `…_mailbox` counts one mailbox on a site, `…_everywhere` one mailbox over all sites.
 * `registrations` counts a client's IP address, `assistant_tokens` one grant. Successful attempts do not count.
 */
export const signInLimits = {
  guesses_person: { max: 10, minutes: 15 },
  guesses_all: { max: 300, minutes: 1 },
  guesses_browser: { max: 10, minutes: 15 },
  guesses_inside: { max: 10, minutes: 15 },
  codes_mailbox: { max: 20, minutes: 1_440 },
  codes_everywhere: { max: 40, minutes: 1_440 },
  codes_browser: { max: 10, minutes: 15 },
  registrations: { max: 20, minutes: 60 },
  assistant_tokens: { max: 60, minutes: 1 },
} as const satisfies Record<string, Size>;

/**
 * Limits of email that a site sends on request: confirmations, invitations and test emails, per site and per mailbox.
 * No setting changes them, because they protect other people's mailboxes and the reputation of the mail server.
 */
export const mailLimits = {
  confirmations_pause: { max: 1, minutes: 10 },
  confirmations_mailbox: { max: 3, minutes: 1_440 },
  confirmations_everywhere: { max: 10, minutes: 1_440 },
  confirmations_site: { max: 60, minutes: 60 },
  invitations_site: { max: 60, minutes: 60 },
  invitations_mailbox: { max: 5, minutes: 1_440 },
  mailing_tests: { max: 10, minutes: 60 },
} as const satisfies Record<string, Size>;

interface Size {
  max: number;
  minutes: number;
}
