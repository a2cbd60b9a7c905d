import { afterAll, beforeAll, expect, test } from 'vitest';
import { AuditEntryEntity } from '../../shared/db/entities/audit-entry.ts';
import { type Call, calls } from '../support/calls.ts';
import { startSiteForEveryCall } from '../support/every-call.ts';

// Checks every procedure that writes, over REST and RPC. A new one is covered by its declaration.

const site = await startSiteForEveryCall();
afterAll(() => site[Symbol.asyncDispose]());

const { app, mail, rows, succeed } = site;

const mutations = calls.filter(({ writes }) => writes);
const writes = mutations.filter(({ meta }) => !meta.changesNothing);

beforeAll(site.fill);

test.for(writes)(
  '$title is done once: its repetition changes nothing and gets the same response',
  async (call) => {
    const noted = await countNoted(call);
    const { answer: first, repeat, credential } = await succeed(call);
    expect(isReplay(first)).toBe(null);
    const before = await rows.all();
    if (call.audited) expect(await countNoted(call)).toBeGreaterThan(noted);
    else expect(await countNoted(call)).toBe(0);
    const sent = mail.mails.length;
    const second = await repeat();
    if (await endedItself(call, credential)) return;
    expect(second).toEqual(first);
    expect(isReplay(second)).toBe('true');
    expect(await rows.all()).toEqual(before);
    expect(mail.mails).toHaveLength(sent);
  },
);

test('a call that changes nothing is run again and stores no key', async () => {
  const { idempotency_keys } = await rows.all();
  for (const call of mutations.filter(({ meta }) => meta.changesNothing)) {
    const { answer: first, repeat } = await succeed(call);
    const before = await rows.all();
    const second = await repeat();
    expect([call.title, second]).toEqual([call.title, isOfOneUse(call) ? expect.anything() : first]);
    expect(isReplay(second)).toBe(null);
    expect(await rows.all()).toEqual({ ...before, idempotency_keys });
  }
});

/** True for calls whose response differs each time: they create a challenge or a secret for a factor. */
const isOfOneUse = ({ name }: Call) =>
  /^(admin\.session\.(passkey|proof)|studio\.factors\.\w+\.begin)$/.test(name);

/** Number of audit entries of the procedure. */
const countNoted = ({ name }: Call) =>
  app.deps.database.em.fork().count(AuditEntryEntity, { action: name, site_id: site.siteId });

const isReplay = ({ headers }: { headers: Headers }) => headers.get('idempotency-replayed');

/** True if the call ended the session that it was made with. */
async function endedItself({ access }: Call, credential: string) {
  if (access !== 'owner') return false;
  return (await app.get('/api/admin/session', { key: credential })).status === 401;
}
