import { afterAll, expect, test } from 'vitest';
import type { Fields } from '../../shared/contract/fields.ts';
import { resources } from '../../shared/contract/resources/index.ts';
import { startApp } from '../support/app.ts';
import { startBrowser } from '../support/browser.ts';
import { ownerClient } from '../support/rpc.ts';
import { createVisitor, type PageAnswer } from '../support/visitor.ts';

const attack = 'xss()';

const handlers = [
  'onerror',
  'onload',
  'onclick',
  'onmouseover',
  'onfocus',
  'ontoggle',
  'onbegin',
  'onanimationstart',
];
const tags = [
  'img src=x',
  'svg',
  'body',
  'details open',
  'input autofocus',
  'video src=x',
  'marquee',
  'a href=x',
];

/** A hundred texts that run `xss()` in a page that does not escape them. */
const xssVectors: readonly string[] = [
  ...tags.flatMap((tag, index) => [
    `<${tag} ${handlers[index]}=${attack}>`,
    `"><${tag} ${handlers[(index + 3) % handlers.length]}="${attack}" x="`,
    `'><${tag.toUpperCase()} ${handlers[(index + 5) % handlers.length]?.toUpperCase()}='${attack}'>`,
  ]),
  `<script>${attack}</script>`,
  `<SCRIPT SRC=data:,${attack}></SCRIPT>`,
  `</script><script>${attack}</script>`,
  `</title><script>${attack}</script>`,
  `</style><script>${attack}</script>`,
  `</textarea><script>${attack}</script>`,
  `</noscript><script>${attack}</script>`,
  `<scr<script>ipt>${attack}</scr</script>ipt>`,
  `<script/x>${attack}</script >`,
  `<script\n>${attack}</script\n>`,
  `<svg><script>${attack}</script></svg>`,
  `<svg><script href="data:text/javascript,${attack}"/></svg>`,
  `<svg><animate onbegin=${attack} attributeName=x dur=1s>`,
  `<svg><set attributeName=href to=javascript:${attack}><a href=#>x</a></svg>`,
  `<svg><a xlink:href="javascript:${attack}"><text y=20>x</text></a></svg>`,
  `<svg><use href="data:image/svg+xml,<svg id=x xmlns='http://www.w3.org/2000/svg' onload='${attack}'/>#x"/></svg>`,
  `<math><mtext><table><mglyph><style><img src=x onerror=${attack}></style></mglyph></table></mtext></math>`,
  `<math href="javascript:${attack}">x</math>`,
  `<noscript><p title="</noscript><img src=x onerror=${attack}>">`,
  `<template><img src=x onerror=${attack}></template>`,
  `<select><style></select><img src=x onerror=${attack}></style>`,
  `<form><button formaction="javascript:${attack}">x</button></form>`,
  `<form action="javascript:${attack}"><input type=submit></form>`,
  `<isindex action="javascript:${attack}" type=image>`,
  `<iframe src="javascript:${attack}"></iframe>`,
  `<iframe srcdoc="<script>parent.${attack}</script>"></iframe>`,
  `<object data="javascript:${attack}"></object>`,
  `<embed src="javascript:${attack}">`,
  `<link rel=stylesheet href="javascript:${attack}">`,
  `<base href="javascript:${attack}//">`,
  `<meta http-equiv=refresh content="0;url=javascript:${attack}">`,
  `<style>@import 'javascript:${attack}';</style>`,
  `<div style="background:url(javascript:${attack})">x</div>`,
  `<div style="width:expression(${attack})">x</div>`,
  `<a href="javascript:${attack}">x</a>`,
  `<a href=" javascript:${attack}">x</a>`,
  `<a href="java\tscript:${attack}">x</a>`,
  `<a href="java\nscript:${attack}">x</a>`,
  `<a href="&#106;avascript:${attack}">x</a>`,
  `<a href="&#x6A&#x61vascript&colon;${attack}">x</a>`,
  `<a href="javascript&colon;${attack}">x</a>`,
  `<a href="JaVaScRiPt:${attack}">x</a>`,
  `<a href="\u0001javascript:${attack}">x</a>`,
  `<a href="vbscript:${attack}">x</a>`,
  `<a href="data:text/html,<script>${attack}</script>">x</a>`,
  `<img src="javascript:${attack}">`,
  `<img srcset="javascript:${attack} 1x">`,
  `<video poster="javascript:${attack}"></video>`,
  `<picture><source srcset="javascript:${attack}"></picture>`,
  `[x](javascript:${attack})`,
  `[x](JAVASCRIPT:${attack})`,
  `[x]( javascript:${attack})`,
  `[x](java&Tab;script:${attack})`,
  `[x](&#106;avascript:${attack})`,
  `[x](data:text/html;base64,PHNjcmlwdD54c3MoKTwvc2NyaXB0Pg==)`,
  `[x](https://a.example "onmouseover=${attack}")`,
  `[x](https://a.example" onmouseover="${attack})`,
  `![x](x"onerror="${attack})`,
  `![x" onerror="${attack}](x)`,
  `![x](javascript:${attack})`,
  `<javascript:${attack}>`,
  `[x]: javascript:${attack}\n\n[x]`,
  `[^1]\n\n[^1]: <img src=x onerror=${attack}>`,
  `\`\`\`"><img src=x onerror=${attack}>\nx\n\`\`\``,
  `|<img src=x onerror=${attack}>|\n|-|\n|x|`,
  `- [x] <img src=x onerror=${attack}>`,
  `" onmouseover="${attack}`,
  `' onmouseover='${attack}`,
  `\` onmouseover=${attack}`,
  `{{constructor.constructor('${attack}')()}}`,
  `\${${attack}}`,
  `<!--><img src=x onerror=${attack}>-->`,
  `<!--<img src="--><img src=x onerror=${attack}//">`,
  `<![CDATA[<img src=x onerror=${attack}>]]>`,
  `]]><img src=x onerror=${attack}>`,
  `<?xml version="1.0"?><img src=x onerror=${attack}>`,
  `<img src=x onerror\x0B=${attack}>`,
  `<img/src=x/onerror=${attack}>`,
  `<img src=x onerror=${attack}//`,
  `<<img src=x onerror=${attack}>`,
  `<a id=main name=body class="top" href="#" onclick=${attack}>x</a>`,
];

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

test('text in any field of any resource never runs on any page', async () => {
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

test('no page runs injected text, even without its content security policy', async () => {
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
