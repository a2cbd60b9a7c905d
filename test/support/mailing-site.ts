import { randomBytes } from 'node:crypto';
import { newRecordId } from '../../shared/contract/record-id.ts';
import type { Dkim } from '../../shared/mail/dkim.ts';
import type { WorkerDeps } from '../../worker/deps.ts';
import type { MailLimit } from '../../worker/newsletters/limits.ts';
import { createMailKeys } from '../../worker/newsletters/open-mailings.ts';
import { createRelay } from '../../worker/newsletters/relay.ts';
import { startApp, type TestAppOptions } from './app.ts';
import { eventually } from './eventually.ts';
import { ownerClient } from './rpc.ts';
import { startTestWorker } from './worker.ts';

/** Status of a mailing and its numbers of recipients by state. */
export type MailingFigures = Record<string, number | string | null>;

const states = 'queued sending retrying unknown accepted refused skipped bounced complained'.split(' ');

/** Returns a function that writes a post with a public excerpt, and returns its ID. */
export const writerOf =
  ({ posts }: ReturnType<typeof ownerClient>['studio']) =>
  async (values: object = {}): Promise<string> => {
    const post = { title: 'News', content: 'The *secret*.', excerpt: 'Open.', ...values };
    return (await posts.create.mutate(post)).id;
  };

/** Starts an app with a site whose posts are mailed. Dispose of it with `await using`. */
export async function startMailingSite(options: TestAppOptions = {}) {
  const app = await startApp(options);
  const siteId = await app.seed.ownSite();
  const run = <Row>(text: string, values: unknown[] = []) =>
    app.deps.database.em.fork().execute<Row[]>(text, values);

  return Object.assign(app, {
    siteId,
    run,
    /** Creates a mailing of a post that is due now. */
    async mail(post_id: string, { subject = '', on_unknown = 'repeat', site = siteId } = {}) {
      const id = newRecordId(new Date(), randomBytes);
      await run(
        `insert into mailings (site_id, id, post_id, subject, preheader, audience, on_unknown, status, send_at, recipients, expected, queued,
           sending, retrying, unknown, accepted, refused, skipped, bounced, complained, refused_by_policy, refused_before, created, updated)
         values (?, ?, ?, ?, '', '{}', ?, 'scheduled', now(), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, now(), now())`,
        [site, id, post_id, subject, on_unknown],
      );
      return id;
    },
    /** Adds subscribers with these addresses. */
    subscribe: (addresses: readonly string[], site = siteId) =>
      run(
        `insert into subscribers (site_id, id, email, name, source, status, soft_bounces, created)
         select ?, substr(md5(email), 1, 15), email, '', 'footer', 'active', 0, now() - interval '1 day'
         from unnest(?::text[]) email`,
        [site, `{${addresses.join(',')}}`],
      ),
    unsubscribe: (email: string) =>
      run(`update subscribers set status = 'unsubscribed' where site_id = ? and email = ?`, [siteId, email]),
    /** Makes the recipients that wait due, as if the time had passed. */
    passTime: () =>
      run(
        `update mailing_recipients set due_at = now() - interval '1 second'
         where due_at > now() and state <> 'sending'`,
      ),
    /** Ends the leases of workers that died. */
    endLeases: () =>
      run(
        `update mailing_recipients set due_at = now() - interval '1 second', lease_until = now() - interval '1 second'
         where state = 'sending'`,
      ),
    async figures(id: string): Promise<MailingFigures> {
      const [row] = await run<MailingFigures>('select * from mailings where id = ?', [id]);
      if (!row) throw new Error(`no mailing with the ID ${id}`);
      const counted = states.flatMap((state) => (row[state] ? [[state, row[state]]] : []));
      return {
        status: row.status ?? null,
        pause_reason: row.pause_reason ?? null,
        ...Object.fromEntries(counted),
      };
    },
    /**
     * Returns the numbers of recipients by state, counted from rows and as stored in the mailing. One query reads both,
     * because the commit of a dead worker may arrive late.
     */
    async counts(id: string) {
      const [row] = await run<{ are: object; counted: object }>(
        `select (
           select coalesce(json_object_agg(state, copies), '{}') from (
             select state, count(*)::int as copies from mailing_recipients r
             where r.site_id = m.site_id and r.mailing_id = m.id group by state
           ) c
         ) as are, (
           select coalesce(json_object_agg(key, value), '{}') from jsonb_each(to_jsonb(m))
           where key = any(?::text[]) and value <> '0'
         ) as counted
         from mailings m where id = ?`,
        [`{${states.join(',')}}`, id],
      );
      return row;
    },
    copies: (id: string) =>
      run<{ email: string; state: string; doubts: number; attempts: number; body: string | null }>(
        `select email, state, doubts, attempts, body from mailing_recipients
         where mailing_id = ? order by email`,
        [id],
      ),
  });
}

export type MailingSite = Awaited<ReturnType<typeof startMailingSite>>;

interface MailingWorker extends Partial<WorkerDeps> {
  connections?: number;
  /** Time limit of one email, in milliseconds. The default is longer than the steps of a busy machine. */
  timeoutMs?: number;
  /** Time without a mail server after which a mailing is paused, in milliseconds. */
  maxOutageMs?: number;
  limits?: readonly MailLimit[];
  bounceDomain?: string | null;
  dkim?: Dkim | null;
}

/** Starts a worker that sends email by this server. */
export const startMailingWorker = (
  site: MailingSite,
  url: string,
  {
    connections = 5,
    timeoutMs = 30_000,
    maxOutageMs = 600_000,
    limits = [],
    bounceDomain = null,
    dkim = null,
    ...deps
  }: MailingWorker = {},
) =>
  startTestWorker(site, {
    ...deps,
    mailings: {
      relays: Array.from({ length: connections }, () => createRelay({ url, timeoutMs, name: 'example.com' })),
      maxOutageMs,
      countsTest: false,
      limits,
      from: 'news@example.com',
      bounceDomain,
      dkim,
      publicUrl: new URL('https://example.com'),
      keyOf: createMailKeys(site.deps),
    },
  });

/** Waits until the mailing has the wanted status or numbers. */
export const until = (site: MailingSite, id: string, wanted: (figures: MailingFigures) => boolean) =>
  eventually(async () => {
    const figures = await site.figures(id);
    return wanted(figures) && figures;
  });

/** Signs an owner of the site in. Returns their client, and functions that write and mail posts. */
export async function ownerOf(site: MailingSite) {
  const { studio } = ownerClient(site.baseUrl, await site.seed.ownerToken(site.siteId));
  return {
    studio,
    write: writerOf(studio),
    mail: (post_id: string, about?: Parameters<MailingSite['mail']>[1]) => site.mail(post_id, about),
  };
}

/** Figures of a mailing that was sent to all recipients. */
export const sent = (accepted: number) => ({ status: 'sent', pause_reason: null, accepted });

export const isOver = ({ status }: { status?: unknown }) => status === 'sent';
