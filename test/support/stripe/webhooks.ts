import { Stripe } from 'stripe';
import { secrets } from './account.ts';
import type { Faults } from './faults.ts';
import type { Ledger } from './ledger.ts';

/** A webhook, at one of the endpoints of its account. */
interface Webhook {
  url: URL;
  payload: string;
  secret: string;
}

/** Number of webhooks that are sent concurrently, and that wait for a random order if `shuffle` is on. */
const concurrency = 8;
const shuffled = 16;

/**
 * Sends events to the endpoints of their account. A webhook is waiting, then sent. It is held if the receiver answers with a status
 * from 300 on, because Stripe sends it again later. `sendHeld` sends held webhooks.
 */
export function createWebhookSender(faults: Faults, clock: () => Date, random: () => number) {
  const waiting: Webhook[] = [];
  const held: Webhook[] = [];
  let sending = 0;
  /** Origin that webhooks are sent to instead of the endpoint's, because tests listen on loopback. */
  let origin: URL | null = null;
  let onIdle: (() => void)[] = [];
  const statuses: (number | null)[] = [];

  const draw = (from: Webhook[]) => from.splice(Math.floor(random() * from.length), 1);

  async function send(webhook: Webhook): Promise<void> {
    const { payload, secret } = webhook;
    const url = origin ? new URL(webhook.url.pathname + webhook.url.search, origin) : webhook.url;
    const timestamp = Math.floor(clock().getTime() / 1_000);
    const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
    const headers = { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature };
    const status = await fetch(url, { method: 'POST', headers, body: payload, redirect: 'manual' })
      .then(async (response) => {
        await response.text();
        return response.status;
      })
      .catch(() => null);
    statuses.push(status);
    if (status === null || status >= 300) held.push(webhook);
  }

  function sendNext(): void {
    while (sending < concurrency && waiting.length > (faults.shuffle ? shuffled : 0)) {
      const [webhook] = faults.shuffle ? draw(waiting) : waiting.splice(0, 1);
      if (!webhook) break;
      sending += 1;
      void send(webhook).finally(() => {
        sending -= 1;
        sendNext();
      });
    }
    if (sending > 0) return;
    for (const resolve of onIdle.splice(0)) resolve();
  }

  return {
    /** Status of each webhook that was sent; null if the receiver did not answer. */
    statuses,
    sendTo(to: URL | null) {
      origin = to;
    },
    publish(ledger: Ledger, event: Stripe.Event) {
      for (const endpoint of ledger.all('webhook_endpoint')) {
        const { status, enabled_events, url } = endpoint;
        const isWanted = enabled_events.includes('*') || enabled_events.includes(event.type);
        const secret = secrets.get(endpoint);
        if (status !== 'enabled' || !isWanted || !secret || random() < faults.drop) continue;
        const webhook = { url: new URL(url), payload: JSON.stringify(event, null, 2), secret };
        const times = random() < faults.duplicate ? 2 : 1;
        (faults.delay ? held : waiting).push(...Array.from({ length: times }, () => webhook));
      }
      sendNext();
    },
    /** Sends held, refused and shuffled webhooks, and waits until each was sent once more. */
    async sendHeld() {
      waiting.push(...held.splice(0));
      const { shuffle } = faults;
      if (shuffle) waiting.sort(() => random() - 0.5);
      faults.shuffle = false;
      try {
        await this.idle();
      } finally {
        faults.shuffle = shuffle;
      }
    },
    /** Waits until nothing is being sent. */
    idle() {
      return new Promise<void>((resolve) => {
        onIdle = [...onIdle, resolve];
        sendNext();
      });
    },
  };
}
