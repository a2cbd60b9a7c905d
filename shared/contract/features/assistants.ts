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
  'mcp:read': reading('Read all that your site shows, and your profile'),
  'mcp:write': writing(
    'Write, change, publish and delete all of your content, and change your profile',
    'content',
    'Write and change all drafts of your own',
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
        `Write and change drafts of your ${nouns[name]}`,
      ),
    ]),
  ),
  'mcp:profile:read': reading('Read your profile'),
  'mcp:profile:write': writing('Change your profile', 'publish'),
  'mcp:analytics:read': reading('See how often your pages are viewed', 'analytics'),
  'mcp:newsletter:read': reading('See your newsletters, and how many they reached', 'newsletter'),
  'mcp:newsletter:send': writing('Mail your posts to your readers', 'newsletter'),
  'mcp:members:read': {
    ...reading('See your members, with their names and e-mail addresses', 'audience'),
    dangerous: true,
  },
  'mcp:events:read': {
    ...reading('Follow all that happens on your site, with the people it is about', 'site'),
    dangerous: true,
  },
  'mcp:webhooks:write': writing(
    'Have all that happens on your site sent to an address of its choice',
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
    name: documented(z.string(), 'What it calls itself', 'Claude'),
    host: documented(
      z.string().nullable(),
      'Host that vouches for the name; null where nobody does',
      'claude.ai',
    ),
    verified: z.boolean().describe('Whether a host vouches for the name'),
  })
  .describe('The program that signs in');

const scopes = documented(z.array(McpScopeName).min(1).max(mcpScopeNames.length), 'What it may do', [
  'mcp:read',
]);

const ends_at = documented(
  DateTime.nullable().optional(),
  'When it ends by itself; null for when it is revoked',
  null,
);

const OfferedScope = z.strictObject({
  scope: McpScopeName,
  words: z.string().describe('What it allows'),
  asked: z.boolean().describe('Whether the assistant asks for it'),
  dangerous: z.boolean().describe('Whether it changes things, reaches others or tells of people'),
  ticked: z.boolean().describe('Whether it is allowed unless somebody says otherwise'),
});

/** An assistant that waits for somebody to say what it may. */
export const AssistantRequest = titled('AssistantRequest', {
  id: RecordId,
  client,
  redirect_host: z.string().describe('Where the answer goes: a host, or a program of this machine'),
  loopback: z.boolean().describe('Whether the answer goes to a program on this machine'),
  scopes: z.array(OfferedScope).describe('All that the role of who is asked can allow'),
  expires_at: moment('Until when it waits'),
});

export const ApproveAssistant = z.strictObject({ id: RecordId, scopes, ends_at });

/** Where the browser goes on to, which tells the assistant what was said. */
export const AssistantAnswer = titled('AssistantAnswer', {
  redirect_to: z.string().describe('Address to go on to'),
});

export const UpdateAssistant = z.strictObject({ id: RecordId, scopes, ends_at });

/** An assistant that somebody connected. */
export const Assistant = titled('Assistant', {
  id: RecordId,
  client,
  scopes: z.array(McpScopeName).describe('What it may do, as far as the role of who connected it goes'),
  person: z
    .strictObject({
      id: RecordId,
      name: z.string().describe('Their name'),
      role: z.enum(roleNames).describe('What they may do on this site'),
    })
    .describe('Who connected it'),
  created: moment('When it was connected'),
  last_used: moment('When it last called, to the minute; null before the first time').nullable(),
  ends_at: moment('When it ends by itself; null for when it is revoked').nullable(),
});
