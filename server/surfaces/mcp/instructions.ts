import { usualFields } from '../../../shared/contract/fields.ts';
import { retentionDays } from '../../../shared/contract/limits.ts';
import { mcpScopeNames } from '../../../shared/contract/scopes.ts';

/** Told of once, rather than in each tool that takes them. */
const aboutFields = Object.entries(usualFields)
  .map(([name, { input }]) => `${name}: ${input.meta()?.description}.`)
  .join('\n');

const aboutTools = `These tools read and write the content of one creator's site, within the scopes of the API key.
Reads return public records that are not drafts. If the content of a post is withheld, gate_reason gives the reason.
Lists omit content and texts over 500 characters unless fields names them. They also omit unset values, visibility
(always public) and updated if it equals created. For the next page, send next_cursor as cursor.
Filters are named after fields: with several values, any of them matches; _from is at or after, _before is before a time or
date; _min and _max limit numbers. q searches for words. A leading minus sign in sort means descending.
${aboutFields}
New records are public immediately, unless their fields specify otherwise. Updates change only the given fields; an empty value
unsets a field, or null if the schema allows it. The site's owner can restore deleted records for ${retentionDays.trash} days.
With a write scope for a collection, list_drafts and get_draft return its drafts.
Times have the form 2026-01-31 09:05:00.123Z, always in UTC. An error is {"error":{"code","message"}}.`;

/** What an assistant is told at first: how the tools behave, or why this key has none. */
export const instructionsFor = (granted: readonly string[]) =>
  mcpScopeNames.some((scope) => granted.includes(scope)) ? aboutTools : whyNoTools(granted);

const whyNoTools = (granted: readonly string[]) =>
  `No tools are available for this API key, because none of its scopes (${granted.join(', ')}) is for assistants.
mcp:read allows reading all content and the profile, and mcp:write allows changing them. Each other scope allows one thing:
${mcpScopeNames.filter((scope) => scope !== 'mcp:read' && scope !== 'mcp:write').join(', ')}.
The site's owner can create a key with the required scopes, or add them to this key.`;
