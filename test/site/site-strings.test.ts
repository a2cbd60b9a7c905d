import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { recordsOf } from '../support/content.ts';
import { startMailServer } from '../support/mail-server.ts';
import { ownerClient } from '../support/rpc.ts';
import { createVisitor } from '../support/visitor.ts';

async function startSite(language: string, smtpUrl?: string) {
  const app = await startApp(smtpUrl === undefined ? {} : { smtpUrl });
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
  await studio.site.update.mutate({ language });
  return { ...app, studio, visit: createVisitor(app.baseUrl) };
}

test("pages, forms and emails are in the site's language, and emails have the owner's sender name", async () => {
  await using mail = await startMailServer();
  await using app = await startSite('de-AT', mail.url);
  await recordsOf(app, 'posts', await app.seed.key()).add({ title: 'Eins', slug: 'eins', tags: ['katzen'] });
  const list = await app.visit('/tags/katzen');
  expect(list.text).toContain('<html lang="de-AT"');
  expect(list.text).toContain('<p class="lead"><bdi>1 Text</bdi></p>');
  const missing = await app.visit('/nirgends');
  expect([missing.status, missing.text]).toEqual([
    404,
    expect.stringContaining('<h1>Unter dieser Adresse gibt es nichts.</h1>'),
  ]);
  const wrong = await app.visit('/newsletter', { form: { email: 'nein', source: 'home' } });
  expect([wrong.status, wrong.text]).toEqual([
    400,
    expect.stringContaining('Hier muss eine E-Mail-Adresse stehen, zum Beispiel grace@example.com.'),
  ]);
  await app.studio.site.update.mutate({ newsletter: { from_name: 'Ada aus dem Hafen' } });
  await app.visit('/sign-in', { form: { email: 'grace@example.com' } });
  expect(mail.mails).toEqual([
    expect.objectContaining({
      raw: expect.stringMatching(
        /From: Ada aus dem Hafen <[\s\S]*Subject: Dein Anmeldecode[\s\S]*Dein Code lautet \d{6}/,
      ),
    }),
  ]);
});

test('numbers have the correct plural form of the language', async () => {
  await using app = await startSite('fr');
  const posts = recordsOf(app, 'posts', await app.seed.key());
  await posts.add({ title: 'Un', slug: 'un', tags: ['un', 'deux'] });
  await posts.add({ title: 'Deux', slug: 'deux', tags: ['deux'] });
  expect((await app.visit('/tags/un')).text).toContain('<bdi>1 article</bdi>');
  expect((await app.visit('/tags/deux')).text).toContain('<bdi>2 articles</bdi>');
});

test('a site in a language without site strings uses English ones', async () => {
  await using app = await startSite('pl');
  const { text } = await app.visit('/sign-in');
  expect(text).toContain('<html lang="pl"');
  expect(text).toContain('Send me a code');
});
