import { HtmlValidate } from 'html-validate';
import { afterAll, expect, test } from 'vitest';
import { languages } from '../../shared/i18n/site-strings.ts';
import { startBrowser } from '../support/browser.ts';
import { demoPages, startDemoSite } from '../support/demo-site.ts';
import { startMailServer } from '../support/mail-server.ts';
import { markupRules } from '../support/markup-rules.ts';
import { emailPaths } from '../support/newsletter-link-paths.ts';
import { ownerClient } from '../support/rpc.ts';
import { createVisitor } from '../support/visitor.ts';
import { butColour, findViolations } from '../support/watched-browser.ts';

await using stack = new AsyncDisposableStack();
const mail = stack.use(await startMailServer());
const app = stack.use(await startDemoSite(mail.url));
const browser = stack.use(await startBrowser());
const started = stack.move();
afterAll(() => started.disposeAsync());

const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken(app.siteId));
const validator = new HtmlValidate(markupRules);
const visit = createVisitor(app.baseUrl);
const letters = await emailPaths(app, app.siteId);
const email = 'lin@example.com';
const lin = createVisitor(app.baseUrl);
await lin('/sign-in', { form: { email } });
await lin('/sign-in', { form: { email, code: mail.codeFor(email) } });

/** Every page that a visitor or member can reach, as HTML. */
async function* everyPage(language: string) {
  for (const path of [
    ...demoPages,
    '/testimonials?sent=1',
    '/newsletter?sent=mail',
    ...Object.values(letters),
  ])
    yield { at: path, ...(await visit(path)) };
  for (const path of Object.values(letters))
    yield { at: `${path} sent`, ...(await visit(path, { form: {} })) };
  yield { at: '/account', ...(await lin('/account')) };
  yield { at: 'code', ...(await visit('/sign-in', { form: { email: `${language}@example.com` } })) };
  const [long, headers] = [{ email: 'x'.repeat(200_000) }, { 'accept-language': `${language}-XX, en;q=0.5` }];
  yield { at: 'too long', ...(await visit('/sign-in', { form: long, headers })) };
  yield { at: 'refused', ...(await visit('/newsletter', { form: { email: 'no', source: 'home' } })) };
}

const translated = languages.filter((language) => language !== 'en');

// Looks are tested in English, and colors do not depend on the language. Only the first language is tested with colors.
test.for(translated)(
  'every page in %s is valid, names its language, fits a phone, and has no axe violations',
  async (language) => {
    await studio.site.update.mutate({ language });
    const page = await browser.open({
      viewport: { width: 390, height: 844 },
      javaScriptEnabled: true,
      bypassCSP: true,
    });
    await page.goto(app.baseUrl);
    for await (const { at, text } of everyPage(language)) {
      expect(text).toContain(`<html lang="${language}"`);
      const { results } = await validator.validateString(text);
      const faults = results.flatMap(({ messages }) =>
        messages.map(({ ruleId, message }) => [ruleId, message]),
      );
      expect([at, faults]).toEqual([at, []]);
      // Inserted into the open page, where axe is already loaded. Navigating takes three times as long.
      await page.setContent(text);
      const wrong = await findViolations(page, language === translated[0] ? undefined : butColour);
      expect([at, wrong]).toEqual([at, []]);
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      expect([at, overflow]).toEqual([at, 0]);
    }
    await page.context().close();
  },
);
