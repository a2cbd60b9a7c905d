import { z } from 'zod';
import { mcpScopes, mcpWildcard } from './mcp-scopes.ts';
import { keysOf } from './names-of.ts';

/** Every scope an API key can hold, with what it opens. */
export const scopes = {
  read: 'v1 reads and event polling',
  write: 'create, update and delete on v1',
  webhooks: 'register outbound webhooks',
  'read:content': 'v2 posts, projects, courses and talks',
  'read:members': 'v2 members',
  'read:analytics': 'v2 analytics',
  'write:webhooks': 'register outbound webhooks on v2',
  'write:media': 'upload, list and delete media on v2',
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
