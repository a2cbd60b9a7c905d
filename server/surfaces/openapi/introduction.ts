import type { AnyRouter } from '@trpc/server';
import { bodyLimitBytes, paging, retentionDays, tiers } from '../../../shared/contract/limits.ts';
import { type Scope, scopes } from '../../../shared/contract/scopes.ts';
import { assistants } from './introduction/assistants.ts';
import { deliveries } from './introduction/deliveries.ts';
import { rpc } from './introduction/rpc.ts';

const scopeRows = Object.entries<string>(scopes).map(([name, opens]) => `| \`${name}\` | ${opens} |`);

const tierRows = (['normal', 'moderate', 'strict', 'poll', 'mcp', 'mcp_writes', 'studio'] as const).map(
  (name) => {
    const { perMinute, burst, per } = tiers[name];
    return `| \`${name}\` | ${perMinute} per minute | ${burst} | ${per === 'key' ? 'API key' : 'client IP address'} |`;
  },
);

/** What a reader of the documentation needs to know once, before any operation (Markdown). */
export const introductionOf = (
  router: AnyRouter,
  publicUrl: URL,
) => `API for reading and writing the content of a creator's site, and for receiving its events.

All request and response bodies are JSON in UTF-8. Requests are made over HTTPS. TypeScript apps can use the package \`creator-content-client\`.

## Credentials

All paths below \`/api/v1\` and \`/api/v2\` require an API key, sent as \`Authorization: Bearer svc_live_…\`. Never put a key in
a URL or in code that is shipped to browsers. A key can be limited to origins, which are compared with the \`Origin\` or
\`Referer\` header. The scope \`webhooks\` includes \`${'write:webhooks' satisfies Scope}\`. \`mcp:read\` and \`mcp:write\` include the \`read\` and \`write\`
scopes of assistants for all content and the profile. No other scope includes another.

| Scope | Allows |
|---|---|
${scopeRows.join('\n')}

All paths below \`/api/admin\` require the token of an owner's session instead: log in with \`POST /api/admin/session\`.

## Records

Every record has an \`id\` of 15 lower-case letters and digits. Some also have a \`slug\`, their name in URLs. In paths with
\`{idOrSlug}\`, GET expects the slug, and PATCH and DELETE expect the ID.

Times in responses have the form \`2026-01-31 09:05:00.123Z\`, always in UTC. Requests may use this form or any RFC 3339
date-time. Events contain RFC 3339 date-times. Dates that may be partial (\`start_date\`, \`issue_date\` …) are \`YYYY\`, \`YYYY-MM\`,
\`YYYY-MM-DD\` or a date-time, and are returned as they were sent.

A field that was never set, or was set to \`null\`, is returned as \`""\` if it is text, as \`[]\` if it is a list, as its default
value if it has one, and otherwise as \`null\`. Text may contain any character except NUL and lone surrogates. Requests with
unknown fields are refused. A body may have up to ${bodyLimitBytes / 1024 / 1024} MiB, unless the operator changed this limit. Reads return only
public records that are not drafts.

The content of a post is withheld if its access tier is not \`free\`: \`content\` is absent, \`is_gated\` is true and
\`gate_reason\` names the reason. With a member's session token in \`X-Member-Token\`, content that this member may read is
returned.

A response with an \`ETag\` can be revalidated with \`If-None-Match\`: 304 means that it is still current. The tag of a record
begins with its revision, which increases with every write. An update or deletion with \`If-Match\` is executed only if the
record still has that revision; otherwise the response is 412 \`precondition_failed\`. Deleted records stay in the owner's
trash for ${retentionDays.trash} days.

## Lists

Cursor lists accept \`limit\` (at most ${paging.cursor.max}), \`sort\` and \`cursor\`. To get the next page, send \`next_cursor\` of the
response as \`cursor\`; the last page has no \`next_cursor\`. A cursor that is malformed, or belongs to another \`sort\` or filter,
returns the first page. Numbered lists accept \`page\` and \`per_page\` (at most ${paging.page.max}). Other lists are not paged. The
\`Link\` header contains the path of the next page (\`rel="next"\`).

Lists can be filtered by fields: \`status=active,planned\` (any of these values), \`tags=a,b\` (lists that contain any of them),
\`featured=true\`, \`created_from=…\` (at or after) and \`created_before=…\`, \`price_min=10\` and \`price_max=50\`. A partial date
counts as its first day. \`q\` searches for words. \`fields\` selects the fields of each record; therefore \`/openapi.json\` marks all
fields of records in lists as optional. To generate a client that does not use \`fields\`, use \`/openapi.json?lists=whole\`: that
document omits the parameter, and its records are complete.

Unknown query parameters are ignored. A known parameter must not be repeated, unless it is a list: \`fields=id,title\` and
\`fields=id&fields=title\` are equivalent. The values of a repeated parameter are not split, so they may contain commas.

## Errors

Every error has the body \`{"error": {"code": "…", "message": "…"}}\`. Programs should use \`code\`; \`message\` is for people and
may change. New codes may be added: for unknown codes, use the HTTP status. \`validation_failed\` also has \`fields\`, with
the path and message of each invalid field. After 503 \`database_busy\`, \`database_unavailable\` or \`writes_paused\`, nothing
was changed, and the same request can be sent again after the seconds in \`Retry-After\`. Malformed HTTP requests get status
400, 408 or 431 with the same body. \`X-Request-Id\` identifies the request in the logs.

## Rate limits

Every request counts against a rate limit. \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\` describe the
tightest one. Requests over the limit get 429 with \`Retry-After\`. These are the default sizes; if the operator changed them,
the headers contain the current ones:

| Limit | Rate | Burst | Counted per |
|---|---|---|---|
${tierRows.join('\n')}

${deliveries}
${assistants(router, publicUrl)}
${rpc(router)}`;
