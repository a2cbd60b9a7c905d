import { webhookLimits as webhooks } from '../../../../shared/contract/features/webhooks.ts';
import {
  retentionDays,
  retryDelaysSeconds,
  rotationOverlapHours,
} from '../../../../shared/contract/limits.ts';

const units = [
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const;

/** `90 minutes`, `2 hours`: in the largest unit that it is a whole number of. */
function duration(seconds: number): string {
  const [size, unit] = units.find(([size]) => seconds % size === 0) ?? units[2];
  return `${seconds / size} ${unit}${seconds === size ? '' : 's'}`;
}

const plan = new Intl.ListFormat('en').format(retryDelaysSeconds.map(duration));

/** How events are delivered, and how receivers check them (Markdown). */
export const deliveries = `## Webhooks

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
