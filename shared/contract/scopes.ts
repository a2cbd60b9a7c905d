import { z } from 'zod';
import { keysOf, tableOf } from './names-of.ts';
import { apiCollections } from './resources/index.ts';

/** `mcp:posts:read`, `mcp:webhooks:write` …: what an assistant may do, one resource at a time. */
export type McpScope = keyof typeof mcpScopes;

/** What a tool does to its resource. What it sends, nobody takes back: no scope of writing covers that. */
export type McpAccess = 'read' | 'write' | 'send';

type McpWildcard = 'mcp:read' | 'mcp:write';

const inWildcards: readonly string[] = [...apiCollections, 'profile'];

/** The scopes of assistants, with what each opens. */
const mcpScopes = {
  'mcp:read': 'For assistants: read all content and the profile',
  'mcp:write': 'For assistants: create, update and delete all content, and update the profile',
  ...each(
    [...apiCollections, 'profile', 'members', 'analytics', 'events', 'newsletter', 'payments'],
    'read',
    'read',
  ),
  ...each([...apiCollections], 'write', 'create, update and delete'),
  ...each(['profile'], 'write', 'update'),
  ...each(['webhooks'], 'write', 'register'),
  'mcp:newsletter:send': 'For assistants: send posts to newsletter subscribers',
};

function each<N extends string, A extends string>(names: readonly N[], access: A, verb: string) {
  return tableOf<Record<`mcp:${N}:${A}`, string>>(
    names.map((name) => [`mcp:${name}:${access}`, `For assistants: ${verb} ${name}`]),
  );
}

/** Every scope an API key can hold, with what it opens. */
export const scopes = {
  read: 'Read content through API v1 and poll events',
  write: 'Create, update and delete content through API v1',
  webhooks: 'Register webhooks through API v2',
  'read:content': 'Read posts, projects, courses and talks through API v2',
  'read:members': 'List members through API v2',
  'read:analytics': 'Read analytics through API v2',
  'write:webhooks': 'Register webhooks through API v2',
  'write:media': 'Upload, list, update and delete media through API v2',
  'read:subscribers': 'Read newsletter subscribers through API v2',
  'write:subscribers': 'Add, update and delete newsletter subscribers through API v2',
  'read:newsletter': 'Read mailings and the delivery state of each recipient through API v2',
  'write:newsletter': 'Preview mailings, send test emails, and report bounces and complaints through API v2',
  'send:newsletter': 'Send posts to newsletter subscribers through API v2',
  'read:payments': 'Read offers, purchases and memberships through API v2',
  'write:payments': 'Record purchases, report memberships and start checkouts through API v2',
  ...mcpScopes,
} as const satisfies Record<string, string>;

export type Scope = keyof typeof scopes;

export const scopeNames = keysOf(scopes);

export const ScopeName = z.enum(scopeNames);

/**
 * Whether a key holding `granted` may do what needs `needed`. `webhooks` covers `write:webhooks`, `mcp:read` and
 * `mcp:write` cover their kind for all content and the profile; nothing else covers another.
 */
export function covers(granted: readonly string[], needed: Scope): boolean {
  const wider = needed === 'write:webhooks' ? 'webhooks' : mcpWildcard(needed);
  return granted.includes(needed) || (wider !== null && granted.includes(wider));
}

export const mcpScopeNames = Object.keys(mcpScopes).filter(isMcpScope);

/** The scope that reading or writing `resource` takes. Throws when there is none: then a tool names a resource that isn't. */
export function mcpScope(resource: string, access: McpAccess): McpScope {
  const scope = `mcp:${resource}:${access}`;
  if (!isMcpScope(scope)) throw new Error(`unknown scope ${scope}`);
  return scope;
}

function isMcpScope(scope: string): scope is McpScope {
  return Object.hasOwn(mcpScopes, scope);
}

/** The scope of all content that covers `scope` too; null when none does. */
function mcpWildcard(scope: string): McpWildcard | null {
  const [surface, resource, access] = scope.split(':');
  if (surface !== 'mcp' || !inWildcards.includes(resource ?? '')) return null;
  return access === 'write' ? 'mcp:write' : 'mcp:read';
}
