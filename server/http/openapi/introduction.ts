import type { AnyRouter } from '@trpc/server';
import { webhookLimits as webhooks } from '../../../shared/contract/features/webhooks.ts';
import {
  bodyLimitBytes,
  maxBatchCalls,
  paging,
  retentionDays,
  retryDelaysSeconds,
  rotationOverlapHours,
  tiers,
} from '../../../shared/contract/limits.ts';
import { type Scope, scopes } from '../../../shared/contract/scopes.ts';
import { proceduresOf } from '../../api/procedures.ts';
import { assistantsRouter } from '../../api/router/app-router.ts';

const units = [
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const;

/** Formats a duration such as `90 minutes` or `2 hours`, in the largest unit without a fraction. */
function duration(seconds: number): string {
  const [size, unit] = units.find(([size]) => seconds % size === 0) ?? units[2];
  return `${seconds / size} ${unit}${seconds === size ? '' : 's'}`;
}

const plan = new Intl.ListFormat('en').format(retryDelaysSeconds.map(duration));

const deliveries = `## Webhooks

To test webhooks, forward the events of the site to a program on your own machine. If the client package is installed, run
\`API_KEY=svc_live_… npx creator-content-client listen --forward http://localhost:8080/hook\`. It prints the signing secret and
the responses of your program.

Register an HTTPS URL with \`POST /api/v2/webhooks\` or \`POST /api/admin/webhooks\`. Each event is sent there as a POST request
with the body \`{"event": "…", "timestamp": "…", "data": {…}}\`. All events and their data are listed at the end of this
document, under Webhooks. Return any 2xx status within ten seconds, and process the event afterwards. Any other response,
including a redirect, is a failure: the delivery is retried after ${plan}, with ${webhooks.attempts} attempts in total. After
${webhooks.failuresToDisable} consecutive failures the subscription is disabled until its owner enables it again. The owner receives an email after
${webhooks.failuresToNotify} failures and when the subscription is disabled. The owner can send missed events again: a single delivery, or all
events of a period within the last ${retentionDays.events} days.

| Header | Content |
|---|---|
| \`X-Service-Event\` | name of the event |
| \`X-Service-Delivery\` | ID of the delivery, the same in every attempt: store it to detect duplicates |
| \`X-Service-Signature\` | \`sha256=\` and the lower-case hex HMAC-SHA256 of the body, keyed with the secret |
| \`User-Agent\` | \`Service-Webhook/1.0\` |
| \`webhook-id\`, \`webhook-timestamp\`, \`webhook-signature\` | ID, time and signature for libraries of [Standard Webhooks](https://www.standardwebhooks.com), which also reject replayed requests |

After \`POST /api/admin/webhooks/{id}/rotate-secret\`, \`X-Service-Signature\` uses the new secret immediately. For
${rotationOverlapHours} hours \`webhook-signature\` contains one signature per secret, so receivers that verify this header can switch without
losing deliveries.

Verify the signature over the raw bytes before parsing the JSON, and compare in constant time.

\`\`\`js
import { createHmac, timingSafeEqual } from 'node:crypto';

export function isAuthentic(body, signature, secret) {
  const expected = Buffer.from(\`sha256=\${createHmac('sha256', secret).update(body).digest('hex')}\`);
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
\`\`\`

\`\`\`python
import hashlib
import hmac

def is_authentic(body: bytes, signature: str, secret: str) -> bool:
    expected = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(signature.encode(), expected.encode())
\`\`\`

\`\`\`php
function is_authentic(string $body, string $signature, string $secret): bool
{
    return hash_equals('sha256=' . hash_hmac('sha256', $body, $secret), $signature);
}
\`\`\`

Programs that cannot receive requests can follow events instead. \`GET /trpc/v1.events.follow\` returns server-sent events;
to resume after the last received event, send its ID as \`Last-Event-ID\`. \`client.v1.events.follow.subscribe()\` of the
TypeScript client reconnects by itself. They can also poll: \`GET /api/v1/webhooks/poll/{event}\` returns the events of the last
${retentionDays.events} days.
`;

const scopeRows = Object.entries<string>(scopes).map(([name, opens]) => `| \`${name}\` | ${opens} |`);

const tierRows = (['normal', 'moderate', 'strict', 'poll', 'mcp', 'mcp_writes', 'studio'] as const).map(
  (name) => {
    const { perMinute, burst, per } = tiers[name];
    return `| \`${name}\` | ${perMinute} per minute | ${burst} | ${per === 'key' ? 'API key' : 'client IP address'} |`;
  },
);

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

const assistants = (router: AnyRouter, publicUrl: URL) => `## Assistants

Assistants that support MCP can use the same content with tools at \`${new URL('/mcp', publicUrl)}\` (Streamable HTTP).
Assistants that support OAuth 2.1 need only that URL: a person with access to the site signs in and selects the scopes. Other
assistants send an API key, and its \`mcp:…\` scopes determine the available tools. The owner can disable assistants for the
whole site; requests then get 403 \`mcp_disabled\`.

\`\`\`json
{
  "mcpServers": {
    "site": {
      "type": "http",
      "url": "${new URL('/mcp', publicUrl)}",
      "headers": { "Authorization": "Bearer svc_live_…" }
    }
  }
}
\`\`\`

| Scopes | Tools |
|---|---|
${toolRows(router).join('\n')}
`;

function toolRows(router: AnyRouter): string[] {
  const procedures = [router, assistantsRouter].flatMap((one) => [...proceduresOf(one).values()]);
  const tools = procedures.flatMap(({ meta: { mcp }, type }) =>
    [mcp?.resource ?? []].flat().map((resource) => ({
      name: mcp?.name,
      resource,
      access: mcp?.access ?? (type === 'mutation' ? 'write' : 'read'),
    })),
  );
  return [...Map.groupBy(tools, ({ resource }) => resource)].map(([resource, about]) => {
    const scopes = [...new Set(about.map(({ access }) => `\`mcp:${resource}:${access}\``))];
    return `| ${scopes.join(', ')} | ${about.map(({ name }) => `\`${name}\``).join(', ')} |`;
  });
}

const rpc = (router: AnyRouter) => `## RPC

TypeScript programs can call all procedures by name and with types, using the package \`creator-content-client\`. It is
built from a checkout of the service (\`client/sdk/README.md\`) and is not published in a registry. It uses tRPC at \`/trpc\` with
superjson and at most ${maxBatchCalls} calls per batch. \`v1.*\`, \`v2.*\` and \`admin.*\` are the operations of this document. The
following procedures have no path below \`/api\`: \`v1.events.follow\` streams events as they happen; \`studio.*\` is the owner's work
including drafts, and requires an owner's session; \`site.*\` is for visitors and requires no credential.

| Procedures | Calls |
|---|---|
${procedureRows(router).join('\n')}
`;

function procedureRows(router: AnyRouter): string[] {
  const names = [...proceduresOf(router).values()].flatMap(({ name, meta }) => (meta.openapi ? [] : [name]));
  const groups = Map.groupBy(names, (name) => name.slice(0, name.lastIndexOf('.')));
  return [...groups].map(([group, members]) => {
    const calls = members.map((name) => `\`${name.slice(group.length + 1)}\``);
    return `| \`${group}\` | ${calls.join(', ')} |`;
  });
}
