import { expect, test } from 'vitest';
import type { Mail } from '../../shared/mail/mailer.ts';
import { eventually } from '../support/eventually.ts';
import { type SellingSite, startConnectedSite, startSellingSite } from '../support/selling-site.ts';
import { startTestWorker } from '../support/worker.ts';

const grace = 'grace@example.com';

/** Starts a worker whose emails are collected. */
async function collectMails(app: SellingSite) {
  const sent: Mail[] = [];
  const worker = await startTestWorker(app, { mail: { send: async (mail) => void sent.push(mail) } });
  return {
    /** Waits for this number of emails, and returns them by receiver. */
    async expect(count: number) {
      await eventually(() => sent.length >= count);
      expect(sent).toHaveLength(count);
      return new Map(sent.map((mail) => [String(mail.to), mail]));
    },
    [Symbol.asyncDispose]: () => worker[Symbol.asyncDispose](),
  };
}

const ownerOf = async (app: SellingSite) => {
  const [owner] = await app.deps.database.em.execute<{ email: string }[]>('select email from people');
  return owner?.email ?? '';
};

async function buyDemo({ visit }: SellingSite, offer: string) {
  const begun = await visit(`/buy/${offer}`, { form: { email: grace } });
  await visit(String(begun.headers.location), { form: {} });
}

test('a sale emails the buyer what they bought, its price, a link and how to sign in, and the owners once', async () => {
  await using app = await startSellingSite();
  await using mails = await collectMails(app);
  await buyDemo(app, (await app.sellPost()).id);
  const sent = await mails.expect(2);
  expect(sent.get(grace)).toMatchObject({
    kind: 'sale',
    subject: 'Your purchase from A site',
    text: `You bought The price of sleep.\n\nPrice: €49\n\nhttp://localhost:3000/posts/sleep\n\nSign in with ${grace}. There is no password: we email you a code.\n`,
  });
  const owner = sent.get(await ownerOf(app));
  expect(owner).toMatchObject({ kind: 'notice', subject: 'A site: new sale' });
  expect(owner?.text).toContain(`${grace} bought The price of sleep (€49).`);
  expect(owner?.text).toContain('This was a test. No money moved.');
});

test('the email to a new member is in the language and time zone of the site, and names the end of the trial', async () => {
  await using app = await startSellingSite();
  await using mails = await collectMails(app);
  await app.studio.site.update.mutate({ language: 'de', time_zone: 'Pacific/Auckland' });
  app.clock.advance({ hours: 4 });
  await buyDemo(app, (await app.sellMembership({ trial_days: 14 })).id);
  const mail = (await mails.expect(2)).get(grace);
  expect(mail?.subject).toBe('Deine Mitgliedschaft bei A site');
  // It is already the next day in Auckland.
  expect(mail?.text.replaceAll('\u00a0', ' ')).toContain(
    'Preis: 5 € im Monat\nKostenlos bis 15. Februar 2026',
  );
  expect(mail?.text).toContain('http://localhost:3000/account');
  expect(mail?.html).toContain('lang="de"');
});

test('sales reported over the API send emails only with `notify`, once; sales that an owner records send none', async () => {
  await using app = await startSellingSite();
  await using mails = await collectMails(app);
  const key = await app.seed.key({ scopes: ['write:payments'] });
  const sale = {
    ...{ buyer_email: grace, content_type: 'posts' as const, content_id: app.ids.post },
    ...{ amount: 9, currency: 'EUR' },
  };
  const record = (values: object) =>
    app.post('/api/v2/purchases', { key, body: { ...sale, provider: 'gumroad', ...values } });
  await record({ external_id: 'old' });
  await app.studio.purchases.record.mutate(sale);
  expect((await record({ external_id: 'new', notify: true })).status).toBe(201);
  expect((await record({ external_id: 'new', notify: true })).status).toBe(200);
  const sent = await mails.expect(2);
  expect([...sent.keys()].sort()).toEqual([grace, await ownerOf(app)].sort());
});

test('owners hear of a dispute once, and of a sale through Stripe when it is recorded', async () => {
  await using app = await startConnectedSite({ livemode: true });
  await using mails = await collectMails(app);
  await app.visit(`/buy/${(await app.sellPost()).id}`, { form: { email: grace } });
  await app.stripe.pay(app.sessions()[0]?.id ?? '');
  await app.passNow();
  expect((await mails.expect(2)).get(grace)?.subject).toBe('Your purchase from A site');
  await app.stripe.dispute(app.ledger().charges[0]?.id ?? '');
  await app.passNow();
  await app.passNow();
  const sent = await mails.expect(3);
  expect(sent.get(await ownerOf(app))).toMatchObject({ subject: 'A site: a payment is disputed' });
});
