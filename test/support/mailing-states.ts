import type { MailingSite } from './mailing-site.ts';
import { ownerClient } from './rpc.ts';

/** Assignments for a mailing that is being sent. */
export const sending = `status = 'sending', frozen_at = now(), prepared_at = now()`;

/** Counts of a mailing without recipients. */
export const noRecipients = {
  queued: 0,
  sending: 0,
  retrying: 0,
  unknown: 0,
  accepted: 0,
  refused: 0,
  skipped: 0,
  bounced: 0,
  complained: 0,
};

/** Returns functions that create sites with mailings in any state. */
export function createMailingStates(app: MailingSite) {
  /** Creates a site with an owner, so that counts of one test are independent of other tests. */
  async function ownSite(plan: 'free' | 'creator' | 'pro' = 'pro') {
    const siteId = await app.seed.site({ plan, subdomain: `s${Math.random().toString(36).slice(2)}` });
    const { studio: own } = ownerClient(app.baseUrl, await app.seed.ownerToken(siteId));
    const post_id = (await own.posts.create.mutate({ title: 'News', content: 'Hello', excerpt: 'In short.' }))
      .id;
    return { siteId, studio: own, post_id };
  }

  const stateOf = async (id: string, set: string) => {
    await app.run(`update mailings set ${set} where id = ?`, [id]);
  };

  /** Adds recipients by state, and updates the counters of the mailing. */
  async function addCopies(siteId: string, id: string, states: Record<string, number>) {
    for (const [state, copies] of Object.entries(states)) {
      const waits = ['queued', 'retrying', 'sending'].includes(state);
      await app.run(
        `insert into mailing_recipients (site_id, mailing_id, subscriber_id, id, email, state, attempts, doubts, due_at, lease_until)
       select ?, ?, substr(md5('${state}' || n), 1, 15), substr(md5(? || '${state}' || n), 1, 15), '${state}' || n || '@example.com',
         ?, 1, 0, case when ? then now() + interval '1 hour' end, case when ? then now() + interval '1 hour' end
       from generate_series(1, ?) n`,
        [siteId, id, id, state, waits, state === 'sending', copies],
      );
      await app.run(
        `update mailings set ${state} = ${copies}, recipients = recipients + ${copies} where id = ?`,
        [id],
      );
    }
  }

  return { ownSite, stateOf, addCopies };
}
