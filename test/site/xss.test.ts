import { afterAll, expect, test } from 'vitest';
import type { Fields } from '../../shared/contract/fields.ts';
import { resources } from '../../shared/contract/resources/index.ts';
import { startApp } from '../support/app.ts';
import { startBrowser } from '../support/browser.ts';
import { ownerClient } from '../support/rpc.ts';
import { createVisitor, type PageAnswer } from '../support/visitor.ts';
import { xssVectors } from '../support/xss-vectors.ts';

const app = await startApp();
const browser = await startBrowser();
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
});
const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());

/** Sets every text and list of a resource to `vector`, if the field accepts it. */
function poisoned(fields: Fields, vector: string): Record<string, unknown> {
  const entries = Object.entries(fields).flatMap(([name, { input }]) => {
    const value = [vector, vector.slice(0, 50), [vector]].find((tried) => input.safeParse(tried).success);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries);
}

test('there are at least 100 distinct vectors', () => {
  expect(new Set(xssVectors).size).toBeGreaterThanOrEqual(100);
});

test('text in any field of any resource never runs on any page', {
  timeout: 240_000,
}, async () => {
  const paths = [
    '/',
    '/projects',
    '/courses',
    '/talks',
    '/cv',
    '/testimonials',
    '/feed.xml',
    '/feed.json',
    '/llms.txt',
  ];
  const { posts, projects, courses, talks, experience, education, skills, certifications, pages } = studio;
  const creates = { posts, projects, courses, talks, experience, education, skills, certifications, pages };
  for (const [number, vector] of xssVectors.entries()) {
    for (const [collection, { fields }] of Object.entries(resources)) {
      const { slug: _, visibility: __, access_tier: ___, ...values } = poisoned(fields, vector);
      const slug = 'slug' in fields ? { slug: `x-${number}` } : {};
      // The values are valid for each field, which TypeScript cannot express for many resources.
      const create = creates[collection as keyof typeof creates].create.mutate as (
        input: object,
      ) => Promise<unknown>;
      await create({ ...values, ...slug });
    }
    paths.push(`/posts/x-${number}`, `/projects/x-${number}`, `/courses/x-${number}`, `/x-${number}`);
    await app.deps.database.em.execute(
      `insert into testimonials (site_id, id, name, email, company, role, content, rating, approved, created)
       values (?, ?, ?, 'a@example.com', ?, ?, ?, 5, true, now())`,
      [await app.seed.ownSite(), `${number}`.padStart(15, 't'), vector, vector, vector, vector],
    );
  }
  for (let page = 1; page <= Math.ceil(xssVectors.length / 20); page += 1) paths.push(`/posts?page=${page}`);
  const worst = xssVectors.join(' ').slice(0, 200);
  await studio.profile.update.mutate({
    name: worst,
    headline: worst,
    summary: xssVectors.join('\n\n'),
    location: worst,
    cta_text: worst,
  });
  await studio.site.update.mutate({ name: worst });
  for (const vector of xssVectors)
    paths.push(`/posts?q=${encodeURIComponent(vector)}`, `/sign-in?next=${encodeURIComponent(vector)}`);

  const visit = createVisitor(app.baseUrl);
  const answers: ({ path: string } & PageAnswer)[] = [];
  for (const path of paths) answers.push({ path, ...(await visit(path)) });
  expect(answers.filter(({ status }) => status !== 200).map(({ path, status }) => [path, status])).toEqual(
    [],
  );
  const documents = answers.filter(({ headers }) => String(headers['content-type']).startsWith('text/html'));
  const page = await browser.open({ javaScriptEnabled: true });
  const alive = await page.evaluate(
    findAlive,
    documents.map(({ path, text }) => ({ path, text })),
  );
  expect(alive).toEqual([]);
  const [atom] = answers.filter(({ path }) => path === '/feed.xml');
  expect(await page.evaluate(readXml, atom?.text ?? '')).toEqual('feed');
});

test('no page runs injected text, even without its content security policy', {
  timeout: 120_000,
}, async () => {
  const page = await browser.open({ javaScriptEnabled: true, bypassCSP: true });
  const ran: string[] = [];
  await page.exposeFunction('xss', () => ran.push(page.url()));
  for (const path of [
    '/',
    '/posts',
    '/projects',
    '/courses',
    '/talks',
    '/cv',
    '/testimonials',
    '/posts/x-0',
    '/x-99',
  ])
    await page.goto(app.baseUrl + path);
  expect(ran).toEqual([]);
});

/** In the browser: elements of a page that could run code. */
function findAlive(documents: { path: string; text: string }[]): string[] {
  const loads = ['href', 'src', 'action', 'formaction', 'poster', 'data', 'xlink:href', 'srcset'];
  return documents.flatMap(({ path, text }) => {
    const parsed = new DOMParser().parseFromString(text, 'text/html');
    return [...parsed.querySelectorAll('*')].flatMap((element) => {
      const names = element.getAttributeNames();
      const runs =
        (element.tagName === 'SCRIPT' && element.getAttribute('type') !== 'application/ld+json') ||
        ['IFRAME', 'OBJECT', 'EMBED', 'BASE', 'STYLE', 'TEMPLATE', 'FRAME'].includes(element.tagName) ||
        element.hasAttribute('http-equiv') ||
        names.some((name) => name.startsWith('on') || name === 'style' || name === 'srcdoc') ||
        loads.some((name) =>
          /^[\s\p{Cc}]*(javascript|vbscript|data):/iu.test(element.getAttribute(name) ?? ''),
        );
      return runs ? [`${path}: ${element.outerHTML.slice(0, 200)}`] : [];
    });
  });
}

/** In the browser: root element of a well-formed XML document. */
const readXml = (text: string) =>
  new DOMParser().parseFromString(text, 'application/xml').documentElement.tagName;
