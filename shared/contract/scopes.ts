import { z } from 'zod';
import { keysOf, tableOf } from './names-of.ts';
import { apiCollections } from './resources/index.ts';

/**
 * Scope of an assistant: access to one resource, such as `mcp:posts:read`, or to all content with `mcp:read` and
 * `mcp:write`.
 */
export type McpScope = keyof typeof mcpScopes;

/** Access of a tool to its resource. Sent email cannot be taken back, so no scope for writing covers `send`. */
export type McpAccess = 'read' | 'write' | 'send';

type McpWildcard = 'mcp:read' | 'mcp:write';

const inWildcards: readonly string[] = [...apiCollections, 'profile'];

/** Scopes of assistants, with a description of each. */
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

/** All scopes that an API key can have, with a description of each. */
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
  'read:learners': 'Read enrollments in courses and their progress through API v2',
  'write:learners': 'Enroll learners, and complete and end enrollments through API v2',
  ...mcpScopes,
} as const satisfies Record<string, string>;

export type Scope = keyof typeof scopes;

export const scopeNames = keysOf(scopes);

export const ScopeName = z.enum(scopeNames);

/**
 * True if a key with the scopes `granted` may use an operation that needs the scope `needed`.
 *
 * Each scope covers itself. In addition, `webhooks` covers `write:webhooks`. `mcp:read` covers all scopes of
 * assistants for reading content and the profile, and `mcp:write` those for writing them.
 */
export function covers(granted: readonly string[], needed: Scope): boolean {
  const wider = needed === 'write:webhooks' ? 'webhooks' : mcpWildcard(needed);
  return granted.includes(needed) || (wider !== null && granted.includes(wider));
}

export const mcpScopeNames = Object.keys(mcpScopes).filter(isMcpScope);

/** Returns the scope for the access to a resource. Throws an `Error` if there is no such scope. */
export function mcpScope(resource: string, access: McpAccess): McpScope {
  const scope = `mcp:${resource}:${access}`;
  if (!isMcpScope(scope)) throw new Error(`unknown scope ${scope}`);
  return scope;
}

function isMcpScope(scope: string): scope is McpScope {
  return Object.hasOwn(mcpScopes, scope);
}

/** Returns the scope for all content that also covers `scope`; null if there is none. */
function mcpWildcard(scope: string): McpWildcard | null {
  const [surface, resource, access] = scope.split(':');
  if (surface !== 'mcp' || !inWildcards.includes(resource ?? '')) return null;
  return access === 'write' ? 'mcp:write' : 'mcp:read';
}
