import { parseCidr } from '../../shared/webhooks/index.ts';
import { startApp } from './app.ts';
import { eventually } from './eventually.ts';

interface Logged {
  id: string;
  event: string;
  status: string;
  attempt_count: number;
  last_status_code: number | null;
  error: string | null;
  next_attempt_at: string | null;
}

interface Detail extends Logged {
  body: string | null;
  attempts: { attempt: number; status_code: number | null; error: string | null; manual: boolean }[];
}

/**
 * Time limit of an attempt, in milliseconds. Receivers that hang do so until the test releases them, however busy the
 * machine is.
 */
const timeoutMs = 60_000;

/** Starts an app whose webhooks may call this machine. With `now`, its clock shows the same time as the worker's. */
export async function startWebhookSite(ca: string, { now = false } = {}) {
  const app = await startApp({ webhooks: { ca, allowCidrs: [parseCidr('127.0.0.0/8')], timeoutMs } });
  if (now) app.clock.catchUp();
  const [token, key] = [await app.seed.ownerToken(), await app.seed.key()];
  const admin = (method: string, path: string, body?: object) =>
    app.call(method, `/api/admin/webhooks${path}`, { key: token, ...(body && { body }) });
  return Object.assign(app, {
    admin,
    /** API key with read and write access. */
    key,
    async subscribe(url: string, events = ['content.created'], more: object = {}) {
      return (await admin('POST', '', { url, events, ...more })).body as { id: string; secret: string };
    },
    change: (id: string, body: object) => admin('PATCH', `/${id}`, body),
    drop: (id: string) => admin('DELETE', `/${id}`),
    async log(id: string) {
      return ((await admin('GET', `/${id}/deliveries`)).body as { data: Logged[] }).data;
    },
    async delivery(id: string, deliveryId: string) {
      return (await admin('GET', `/${id}/deliveries/${deliveryId}`)).body as Detail;
    },
    redeliver: (id: string, deliveryId: string) => admin('POST', `/${id}/deliveries/${deliveryId}/redeliver`),
    replay: (id: string, body: object) => admin('POST', `/${id}/replay`, body),
    rotate: async (id: string) =>
      (await admin('POST', `/${id}/rotate-secret`)).body as {
        secret: string;
        previous_secret_expires_at: string;
      },
    async subscription(id: string) {
      const { data } = (await admin('GET', '')).body as { data: { id: string }[] };
      return data.find((subscription) => subscription.id === id);
    },
    write: (title: string) => app.post('/api/v1/posts', { key, body: { title } }),
  });
}

export type WebhookSite = Awaited<ReturnType<typeof startWebhookSite>>;

/** Returns the log when no delivery of the subscription is pending. */
export const settledLog = (site: WebhookSite, id: string, deliveries = 1) =>
  eventually(async () => {
    const log = await site.log(id);
    const over = log.every(({ status }) => ['delivered', 'failed', 'cancelled'].includes(status));
    return log.length === deliveries && over && log;
  });
