import { usualFields } from '../../../shared/contract/fields.ts';
import { retentionDays } from '../../../shared/contract/limits.ts';
import { mcpScopeNames } from '../../../shared/contract/scopes.ts';

/** Told of once, rather than in each tool that takes them. */
const aboutFields = Object.entries(usualFields)
  .map(([name, { input }]) => `${name}: ${input.meta()?.description}.`)
  .join('\n');

const aboutTools = `These tools read and write the content of one creator's site, within the scopes of the API key.
Reads give public records that are not drafts; a post's body may be withheld, with gate_reason saying why.
Lists leave out the content of posts and texts over 500 characters, unless fields names them. They also leave out values
that are not set, visibility (always public) and updated where it equals created. They go on with next_cursor as cursor.
Filters are named after fields: of several values any will do; _from is at or after, _before is before a moment or date;
_min and _max bound numbers. q looks for words. A minus sign in sort puts the highest first.
${aboutFields}
What is created is public at once, unless its fields say otherwise. Updates change only the fields
given; an empty value unsets one, or null where it is offered. What is deleted, the site's owner can restore for
${retentionDays.trash} days. Who may write in a collection also gets its drafts, by list_drafts and get_draft.
Moments read like 2026-01-31 09:05:00.123Z, always UTC. An error is {"error":{"code","message"}}.`;

/** What an assistant is told at first: how the tools behave, or why this key has none. */
export const instructionsFor = (granted: readonly string[]) =>
  mcpScopeNames.some((scope) => granted.includes(scope)) ? aboutTools : whyNoTools(granted);

const whyNoTools = (granted: readonly string[]) =>
  `There are no tools for this API key: its scopes (${granted.join(', ')}) hold none for assistants.
With mcp:read it reads all content and the profile, with mcp:write it changes them. Other scopes open one thing each:
${mcpScopeNames.filter((scope) => scope !== 'mcp:read' && scope !== 'mcp:write').join(', ')}.
The site's owner makes a key with the scopes it needs, or adds them to this one.`;
