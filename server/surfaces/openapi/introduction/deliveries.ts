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

To try them, have events of the site sent on to a program on your own machine, as its webhooks would be: with the client package
installed, \`API_KEY=svc_live_… npx creator-content-client listen --forward http://localhost:8080/hook\` prints the secret that
signs them, and what the program answers.

Register an HTTPS address at \`POST /api/v2/webhooks\` or \`POST /api/admin/webhooks\`, and each event is sent there as a POST
with the body \`{"event": "…", "timestamp": "…", "data": {…}}\`. The events are listed at the end, under Webhooks, with all that they
carry. Answer any 2xx within ten seconds, and do the work afterwards. Everything else is a failure, redirects too: the
delivery is tried again after ${plan}, ${webhooks.attempts} attempts in all. After ${webhooks.failuresToDisable} failures in a row the
subscription is switched off, until its owner switches it on again. The owner gets a mail after ${webhooks.failuresToNotify} and when that
happens, and can send again what was missed: one delivery, or every event of a period within ${retentionDays.events} days.

| Header | Holds |
|---|---|
| \`X-Service-Event\` | the name of the event |
| \`X-Service-Delivery\` | an id that is the same in every attempt: keep it to notice repetitions |
| \`X-Service-Signature\` | \`sha256=\` and the HMAC-SHA256 of the body in lower-case hex, keyed with the secret |
| \`User-Agent\` | \`Service-Webhook/1.0\` |
| \`webhook-id\`, \`webhook-timestamp\`, \`webhook-signature\` | the same for libraries of [Standard Webhooks](https://www.standardwebhooks.com), which bound replays too |

After \`POST /api/admin/webhooks/{id}/rotate-secret\` the new secret keys \`X-Service-Signature\` at once;
\`webhook-signature\` holds one signature by each secret for ${rotationOverlapHours} hours, so that receivers which check that one can change
over without a pause.

Check the signature over the bytes as they came, before any JSON is parsed, and compare in constant time.

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

Programs that can take no requests follow instead: \`GET /trpc/v1.events.follow\` answers with server-sent events, each with an
id to go on from (\`Last-Event-ID\`); \`client.v1.events.follow.subscribe()\` of the TypeScript client comes back by itself.
Or they poll: \`GET /api/v1/webhooks/poll/{event}\` has the events of the last ${retentionDays.events} days.
`;
