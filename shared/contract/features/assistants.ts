import { z } from 'zod';
import { documented, titled } from '../documented.ts';
import { keysOf, tableOf } from '../names-of.ts';
import { RecordId } from '../record-id.ts';
import { draftCollections } from '../resources/index.ts';
import { type Area, opens, type Role, rightOf, roleNames } from '../roles.ts';
import { covers, type McpScope, mcpScopeNames, type Scope } from '../scopes.ts';
import { DateTime, timestamp } from '../timestamps.ts';

/** Scope as a person sees it when they connect an assistant, and the right that their role needs to grant it. */
interface Offer {
  words: string;
  /** Text for people whose role may only write their own drafts. */
  ownWords?: string;
  area: Area;
  writes: boolean;
  /**
   * True if it allows changes, publishing, deletion or sending, or includes personal data. Such scopes are never
   * selected by default.
   */
  dangerous: boolean;
}

const nouns = {
  posts: 'posts',
  projects: 'projects',
  courses: 'courses',
  talks: 'talks',
  experience: 'work experience',
  education: 'education',
  skills: 'skills',
  certifications: 'certificates',
} as const;

const collections = keysOf(nouns);

const reading = (words: string, area: Area = 'content') =>
  ({ words, area, writes: false, dangerous: false }) satisfies Offer;
const writing = (words: string, area: Area, ownWords?: string) =>
  ({ words, area, writes: true, dangerous: true, ...(ownWords && { ownWords }) }) satisfies Offer;

/** Scopes that can be granted, described for the person who grants them. */
const offers: Readonly<Record<McpScope, Offer>> = {
  'mcp:read': reading('Read all published content and your profile'),
  'mcp:write': writing(
    'Write, change, publish and delete all of your content, and change your profile',
    'content',
    'Write and change your own drafts',
  ),
  ...tableOf<Record<`mcp:${keyof typeof nouns}:read`, Offer>>(
    collections.map((name) => [`mcp:${name}:read`, reading(`Read your ${nouns[name]}`)]),
  ),
  ...tableOf<Record<`mcp:${keyof typeof nouns}:write`, Offer>>(
    collections.map((name) => [
      `mcp:${name}:write`,
      writing(
        `Write, change, publish and delete your ${nouns[name]}`,
        // Records of collections without drafts are public immediately, so writing them counts as publishing.
        draftCollections.includes(name) ? 'content' : 'publish',
        `Write and change your own drafts of ${nouns[name]}`,
      ),
    ]),
  ),
  'mcp:profile:read': reading('Read your profile'),
  'mcp:profile:write': writing('Change your profile', 'publish'),
  'mcp:analytics:read': reading('See page views and visitor numbers', 'analytics'),
  'mcp:newsletter:read': reading('See your newsletters and how many readers they reached', 'newsletter'),
  'mcp:newsletter:send': writing('Send your posts to your newsletter subscribers', 'newsletter'),
  'mcp:members:read': {
    ...reading('See your members, with their names and email addresses', 'audience'),
    dangerous: true,
  },
  'mcp:payments:read': {
    ...reading('See your offers, purchases and memberships, with the email addresses of buyers', 'audience'),
    dangerous: true,
  },
  'mcp:events:read': {
    ...reading('Read all events of your site, including personal data of members and subscribers', 'site'),
    dangerous: true,
  },
  'mcp:webhooks:write': writing(
    'Send all events of your site to a web address that the assistant chooses',
    'site',
  ),
};

/** True if a scope is never selected by default (`Offer.dangerous`). */
export const isDangerous = (scope: McpScope) => offers[scope].dangerous;

/** True if a role may grant a scope to an assistant. */
export const mayGive = (role: Role, scope: McpScope) => opens(role, offers[scope].area, offers[scope].writes);

/** Returns the description of a scope for people with this role. */
export const wordsOfScope = (scope: McpScope, role: Role) => {
  const { words, ownWords = words, area } = offers[scope];
  return rightOf(role, area) === 'own' ? ownWords : words;
};

/**
 * Returns the scopes that an assistant may use, given its granted scopes and the role of its person; may be empty.
 *
 * The role may allow only part of `mcp:write`. The result therefore lists the scopes that `mcp:write` covers, instead
 * of `mcp:write` itself. Every role may read everything that `mcp:read` covers.
 */
export const usableScopes = (given: readonly string[], role: Role): Scope[] =>
  mcpScopeNames.filter((scope) => scope !== 'mcp:write' && covers(given, scope) && mayGive(role, scope));

const McpScopeName = z.enum(mcpScopeNames);

const client = z
  .strictObject({
    name: documented(z.string(), 'Name that the assistant gives itself', 'Claude'),
    host: documented(
      z.string().nullable(),
      'Host name of the verified client metadata; null if the name is not verified',
      'claude.ai',
    ),
    verified: z.boolean().describe('True if the name comes from client metadata on `host`'),
  })
  .describe('Assistant that requests access');

const scopes = documented(z.array(McpScopeName).min(1).max(mcpScopeNames.length), 'Granted scopes', [
  'mcp:read',
]);

const ends_at = documented(
  DateTime.nullable().optional(),
  'Expiry time of the access; null if it lasts until it is revoked',
  null,
);

const OfferedScope = z.strictObject({
  scope: McpScopeName,
  words: z.string().describe('Description of the scope for the person who approves it'),
  asked: z.boolean().describe('True if the assistant requests it'),
  dangerous: z
    .boolean()
    .describe('True if it allows changes, reaches other people or systems, or includes personal data'),
  ticked: z.boolean().describe('True if it is selected by default'),
});

/** Assistant that requests access and waits for a person's decision. */
export const AssistantRequest = titled('AssistantRequest', {
  id: RecordId,
  client,
  redirect_host: z
    .string()
    .describe('Host name that receives the authorization code, or a program on this machine'),
  loopback: z.boolean().describe('True if a program on this machine receives the authorization code'),
  scopes: z.array(OfferedScope).describe('Scopes that the role of the signed-in person can grant'),
  expires_at: timestamp('Expiry time of the request'),
});

export const ApproveAssistant = z.strictObject({ id: RecordId, scopes, ends_at });

/** URL to which the browser continues, with the decision for the assistant. */
export const AssistantAnswer = titled('AssistantAnswer', {
  redirect_to: z.string().describe('URL to open next in the browser'),
});

export const UpdateAssistant = z.strictObject({ id: RecordId, scopes, ends_at });

export const Assistant = titled('Assistant', {
  id: RecordId,
  client,
  scopes: z
    .array(McpScopeName)
    .describe('Granted scopes; they apply only as far as the role of the person allows'),
  person: z
    .strictObject({
      id: RecordId,
      name: z.string().describe('Name of the person'),
      role: z.enum(roleNames).describe('Role of the person on this site'),
    })
    .describe('Person who connected the assistant'),
  created: timestamp('Connection time'),
  last_used: timestamp('Time of the last call, accurate to a minute; null if there was none').nullable(),
  ends_at: timestamp('Expiry time of the access; null if it lasts until it is revoked').nullable(),
});

/** Limits of assistants that people connect (docs/reference/assistant-sign-in.md). */
export const signIn = {
  /** Time to decide about an assistant, in minutes. */
  requestMinutes: 10,
  /** Lifetime of an authorization code, in seconds. */
  codeSeconds: 60,
  /** Lifetime of an access token, in seconds. */
  accessSeconds: 3_600,
  /** Lifetime of a refresh token after its last use, in days. */
  refreshDays: 30,
  /**
   * Time during which a replaced refresh token still returns its successor, in minutes. Several processes of one client
   * may refresh concurrently.
   */
  successorMinutes: 10,
  /**
   * Maximum number of clients per site that are registered but were never granted access. `unusedClientHours` is
   * their retention, in hours.
   */
  unusedClients: 200,
  unusedClientHours: 24,
  /** Maximum number of assistants per person and site. The one that was unused for longest is removed. */
  perPerson: 50,
  /** Maximum number of redirect URLs of a client. */
  redirects: 20,
  /**
   * Limits of metadata documents of clients. `maxBytes` is the maximum size, in bytes. `keptMs` is the time in the
   * cache, in milliseconds: minimum, maximum, and after a failure. `atOnce` is the concurrency quota of fetches.
   * `waitMs` is the maximum wait, in milliseconds.
   */
  document: {
    maxBytes: 64 * 1024,
    keptMs: { min: 300_000, max: 86_400_000, failure: 60_000 },
    atOnce: { inAll: 20, perSite: 4, waiting: 100, waitMs: 5_000 },
  },
} as const;
