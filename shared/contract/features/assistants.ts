import { z } from 'zod';
import { documented, titled } from '../documented.ts';
import { DateTime, moment } from '../moments.ts';
import { keysOf, tableOf } from '../names-of.ts';
import { RecordId } from '../record-id.ts';
import { draftCollections } from '../resources/index.ts';
import { type Area, opens, type Role, rightOf, roleNames } from '../roles.ts';
import { covers, type McpScope, mcpScopeNames, type Scope } from '../scopes.ts';

/** What a person who connects an assistant is told of a scope, and what their role has to open. */
interface Offer {
  words: string;
  /** For who writes nothing but drafts of their own. */
  ownWords?: string;
  area: Area;
  writes: boolean;
  /** Changes, publishes or deletes, reaches others, or tells of people: never ticked beforehand. */
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

/** What an assistant can be allowed, in words of those who allow it. */
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
        // What can't be a draft is public at once.
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

export const isDangerous = (scope: McpScope) => offers[scope].dangerous;

/** Whether somebody in this role can allow an assistant so much. */
export const mayGive = (role: Role, scope: McpScope) => opens(role, offers[scope].area, offers[scope].writes);

/** What somebody in this role is asked to allow. */
export const wordsOfScope = (scope: McpScope, role: Role) => {
  const { words, ownWords = words, area } = offers[scope];
  return rightOf(role, area) === 'own' ? ownWords : words;
};

/**
 * What of `given` an assistant of somebody in this role may use. A role may open only some of what `mcp:write` covers, so each
 * stands by itself; what `mcp:read` covers every role reads.
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

/** An assistant that waits for somebody to say what it may. */
export const AssistantRequest = titled('AssistantRequest', {
  id: RecordId,
  client,
  redirect_host: z
    .string()
    .describe('Host name that receives the authorization code, or a program on this machine'),
  loopback: z.boolean().describe('True if a program on this machine receives the authorization code'),
  scopes: z.array(OfferedScope).describe('Scopes that the role of the signed-in person can grant'),
  expires_at: moment('Expiry time of the request'),
});

export const ApproveAssistant = z.strictObject({ id: RecordId, scopes, ends_at });

/** Where the browser goes on to, which tells the assistant what was said. */
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
  created: moment('Connection time'),
  last_used: moment('Time of the last call, accurate to a minute; null if there was none').nullable(),
  ends_at: moment('Expiry time of the access; null if it lasts until it is revoked').nullable(),
});

/** Assistants that people connect (docs/contract.md#assistants-that-sign-in). */
export const signIn = {
  /** Until somebody has said what an assistant may. */
  requestMinutes: 10,
  codeSeconds: 60,
  accessSeconds: 3_600,
  /** Since it was last used. */
  refreshDays: 30,
  /** How long a refresh token that was replaced still gives the one that replaced it: processes of one client race. */
  successorMinutes: 10,
  /** Of a site: registered clients that nobody has allowed anything, and how long they are kept. */
  unusedClients: 200,
  unusedClientHours: 24,
  /** That one person has connected to one site: the one that was used longest ago makes room. */
  perPerson: 50,
  /** Of a client at once. */
  redirects: 20,
  /** Documents that clients say who they are by. */
  document: {
    mostBytes: 64 * 1024,
    keptMs: { least: 300_000, most: 86_400_000, failure: 60_000 },
    atOnce: { inAll: 20, perSite: 4, waiting: 100, waitMs: 5_000 },
  },
} as const;
