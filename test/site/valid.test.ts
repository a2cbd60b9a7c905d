import { HtmlValidate } from 'html-validate';
import { afterAll, expect, test } from 'vitest';
import { demoPages, startDemoSite } from '../support/demo-site.ts';
import { markupRules } from '../support/markup-rules.ts';
import { createVisitor } from '../support/visitor.ts';

const app = await startDemoSite();
const visit = createVisitor(app.baseUrl);
afterAll(() => app[Symbol.asyncDispose]());

const validator = new HtmlValidate(markupRules);

test.for(demoPages)('%s is valid HTML', async (path) => {
  const report = await validator.validateString((await visit(path)).text);
  expect(
    report.results.flatMap(({ messages }) => messages.map(({ ruleId, message }) => [ruleId, message])),
  ).toEqual([]);
});

test.for(demoPages)('the structured data of %s is JSON of schema.org', async (path) => {
  const { text } = await visit(path);
  for (const [, json = ''] of text.matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/gs)) {
    expect(JSON.parse(json)).toMatchObject({ '@context': 'https://schema.org', '@type': expect.any(String) });
  }
  expect(text.match(/<script(?! type="application\/ld\+json")/g)).toBeNull();
});
