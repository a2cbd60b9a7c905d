import type { AnyRouter } from '@trpc/server';
import { bodyLimitBytes, paging, tiers } from '../../../shared/contract/limits.ts';
import { type Scope, scopes } from '../../../shared/contract/scopes.ts';
import { assistants } from './introduction/assistants.ts';
import { deliveries } from './introduction/deliveries.ts';
import { rpc } from './introduction/rpc.ts';

const scopeRows = Object.entries<string>(scopes).map(([name, opens]) => `| \`${name}\` | ${opens} |`);

const tierRows = (['normal', 'moderate', 'strict', 'poll', 'mcp', 'mcp_writes', 'studio'] as const).map(
  (name) => {
    const { perMinute, burst, per } = tiers[name];
    return `| \`${name}\` | ${perMinute} a minute | ${burst} | ${per === 'key' ? 'API key' : 'client address'} |`;
  },
);

/** What a reader of the documentation needs to know once, before any operation (Markdown). */
export const introductionOf = (
  router: AnyRouter,
  publicUrl: URL,
) => `Reads and writes the content of a creator's site, and sends its events to programs.

Every body is JSON in UTF-8. Requests are made over HTTPS. TypeScript apps can use the package \`creator-content-client\`.

## Credentials

Everything below \`/api/v1\` and \`/api/v2\` needs an API key, sent as \`Authorization: Bearer svc_live_…\`. Owners create keys in the
studio. A key never belongs in a URL, nor in code that is shipped to browsers. It can be limited to origins, which are then checked
against the \`Origin\` or \`Referer\` header. \`webhooks\` covers \`${'write:webhooks' satisfies Scope}\`, \`mcp:read\` and \`mcp:write\` cover
their kind for all content and the profile; no other scope covers another.

| Scope | Opens |
|---|---|
${scopeRows.join('\n')}

Everything below \`/api/admin\` needs the token of the owner's session instead: log in at \`POST /api/admin/session\`.

## Records

A record has an \`id\` of 15 letters and digits, and some have a \`slug\`, the name in their address. Where a path says
\`{idOrSlug}\`, GET reads it as a slug, PATCH and DELETE as an id.

Moments in answers read \`2026-01-31 09:05:00.123Z\`, always UTC. Any RFC 3339 date-time is accepted, and this form too;
events carry RFC 3339. Dates that may be partial (\`start_date\`, \`issue_date\` …) are \`YYYY\`, \`YYYY-MM\`, \`YYYY-MM-DD\` or a
date-time, and are returned as given.

A field that was never set, or was set to \`null\`, reads \`""\` if it is text, \`[]\` if it is a list, its default, or else
\`null\`. Text can hold any characters but NUL and lone surrogates. Fields that are not listed are refused, and so is a
body of more than ${bodyLimitBytes / 1024 / 1024} MiB, unless this service was set to another size. Reads answer public
records that are not drafts.

The body of a post whose access tier is not \`free\` is withheld: \`content\` is absent, \`is_gated\` is true and \`gate_reason\`
says what would open it. A member's session token in \`X-Member-Token\` opens what that member may read.

An answer with an \`ETag\` can be requested again with \`If-None-Match\`: 304 means that the copy is still right. The tag of
one record begins with its revision, which every write of it raises: an update or a deletion with \`If-Match\` happens to
that revision, or is 412 \`precondition_failed\`. A deleted record stays in the owner's trash for 30 days.

## Lists

Cursor lists take \`limit\` (at most ${paging.cursor.max}), \`sort\` and \`cursor\`: send the \`next_cursor\` of one page to get the next; it is
absent from the last. A cursor that is malformed, or was made under another \`sort\` or filter, restarts at the first page. Lists
with page numbers take \`page\` and \`per_page\` (at most ${paging.page.max}). Other lists are short and come whole. \`Link\` leads from each
page to the next (\`rel="next"\`).

Lists are filtered by the names of fields: \`status=active,planned\` (any of them), \`tags=a,b\` (any of them in the list),
\`featured=true\`, \`created_from=…\` (at or after) and \`created_before=…\`, \`price_min=10\` and \`price_max=50\`. A date that may be
partial stands for its beginning. \`q\` looks for words, \`fields\` selects the fields of each record. So in
\`/openapi.json\` each field of a record in a list may be missing; clients that don't use \`fields\` are generated from
\`/openapi.json?lists=whole\`, which doesn't name it, and where such records are whole.

Query parameters that an operation doesn't know are ignored; one that it knows may
come only once, unless it is a list: \`fields=id,title\` and \`fields=id&fields=title\` are the same. One that is repeated is not
split, so that its values may hold commas.

## Errors

Every error has the body \`{"error": {"code": "…", "message": "…"}}\`. Switch on \`code\`; \`message\` is for people and may
change. The set of codes is open: fall back to the status for one you don't know. \`validation_failed\` also has
\`fields\`, with the path and the message of each rule that is broken. After 503 \`database_busy\`,
\`database_unavailable\` or \`writes_paused\` nothing was done, and the same request can be sent again after the seconds of
\`Retry-After\`. A message that is not an HTTP request gets
400, 408 or 431 with the same body. \`X-Request-Id\` names the request in the logs.

## Limits

Each request counts in a limit; \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\` describe the tightest
one. A request beyond it is answered 429 with \`Retry-After\`. These are the sizes unless this service was set to others;
the headers tell what holds:

| Limit | Rate | Burst | Counted by |
|---|---|---|---|
${tierRows.join('\n')}

${deliveries}
${assistants(router, publicUrl)}
${rpc(router)}`;
