import { HtmlValidate } from 'html-validate';
import { afterAll, expect, test } from 'vitest';
import { languages } from '../../shared/words/words.ts';
import { startBrowser } from '../support/browser.ts';
import { demoPages, startDemoSite } from '../support/demo-site.ts';
import { markupRules } from '../support/markup-rules.ts';
import { ownerClient } from '../support/rpc.ts';
import { createVisitor } from '../support/visitor.ts';
import { findViolations } from '../support/watched-browser.ts';

const app = await startDemoSite();
const browser = await startBrowser();
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
});
const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken(app.siteId));
const visit = createVisitor(app.baseUrl);
const validator = new HtmlValidate(markupRules);

/** Those with the most words of the site's own. */
const lookedAt = ['/', '/posts/letters-from-the-early-birds', '/search?q=goose', '/testimonials', '/sign-in'];

// All that a look may do to pages is tested in English.
test.for(languages.filter((language) => language !== 'en'))(
  'pages in %s are valid, say which language they are in, fit a phone, and axe finds nothing wrong with them',
  async (language) => {
    await studio.site.update.mutate({ language });
    const page = await browser.open({
      viewport: { width: 390, height: 844 },
      javaScriptEnabled: true,
      bypassCSP: true,
    });
    for (const path of demoPages) {
      const { text } = await visit(path);
      expect(text).toContain(`<html lang="${language}"`);
      const { results } = await validator.validateString(text);
      const faults = results.flatMap(({ messages }) =>
        messages.map(({ ruleId, message }) => [ruleId, message]),
      );
      expect([path, faults]).toEqual([path, []]);
    }
    for (const path of lookedAt) {
      await page.goto(app.baseUrl + path);
      expect([path, await findViolations(page)]).toEqual([path, []]);
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      expect([path, overflow]).toEqual([path, 0]);
    }
    await page.context().close();
  },
);
