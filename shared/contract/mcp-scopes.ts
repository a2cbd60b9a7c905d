import { tableOf } from './names-of.ts';
import { type ApiCollection, apiCollections } from './resources/index.ts';

type Readable = ApiCollection | 'profile' | 'members' | 'analytics' | 'events';
type Writable = ApiCollection | 'profile' | 'webhooks';

/** `mcp:posts:read`, `mcp:webhooks:write` …: what an assistant may do, one resource at a time. */
export type McpScope = McpWildcard | `mcp:${Readable}:read` | `mcp:${Writable}:write`;

type McpWildcard = 'mcp:read' | 'mcp:write';

const inWildcards: readonly string[] = [...apiCollections, 'profile'];

/** The scopes of assistants, with what each opens. */
export const mcpScopes = {
  'mcp:read': 'for assistants: read all content and the profile',
  'mcp:write': 'for assistants: create, update and delete all content, and update the profile',
  ...each([...apiCollections, 'profile', 'members', 'analytics', 'events'], 'read', 'read'),
  ...each([...apiCollections], 'write', 'create, update and delete'),
  ...each(['profile'], 'write', 'update'),
  ...each(['webhooks'], 'write', 'register'),
};

function each<N extends string, A extends string>(names: readonly N[], access: A, verb: string) {
  return tableOf<Record<`mcp:${N}:${A}`, string>>(
    names.map((name) => [`mcp:${name}:${access}`, `for assistants: ${verb} ${name}`]),
  );
}

/** All of them. */
export const mcpScopeNames = Object.keys(mcpScopes).filter(isMcpScope);

/** The scope that reading or writing `resource` takes. Throws when there is none: then a tool names a resource that isn't. */
export function mcpScope(resource: string, access: 'read' | 'write'): McpScope {
  const scope = `mcp:${resource}:${access}`;
  if (!isMcpScope(scope)) throw new Error(`there is no scope ${scope}`);
  return scope;
}

function isMcpScope(scope: string): scope is McpScope {
  return Object.hasOwn(mcpScopes, scope);
}

/** The scope of all content that covers `scope` too; null when none does. */
export function mcpWildcard(scope: string): McpWildcard | null {
  const [surface, resource, access] = scope.split(':');
  if (surface !== 'mcp' || !inWildcards.includes(resource ?? '')) return null;
  return access === 'write' ? 'mcp:write' : 'mcp:read';
}
