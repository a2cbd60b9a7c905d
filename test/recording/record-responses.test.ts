import { readFile, writeFile } from 'node:fs/promises';
import { request } from 'undici';
import { expect, test } from 'vitest';
import { fillWithExample } from '../../server/demo/fill.ts';
import { scopeNames } from '../../shared/contract/scopes.ts';
import { startApp } from '../support/app.ts';
import { connectAssistant } from '../support/assistant.ts';
import { calls } from '../support/calls.ts';
import { demoPages } from '../support/demo-site.ts';
import { startSiteForEveryCall } from '../support/every-call.ts';
import { createRandom } from '../support/random.ts';

/**
 * Records the answers of all REST, RPC, MCP and page routes, so that a refactoring can be compared with the code before it:
 *
 *   RECORD=/tmp/before.json pnpm test test/recording      (before)
 *   RECORD=/tmp/after.json COMPARE=/tmp/before.json pnpm test test/recording      (after)
 *
 * The second run prints each text that changed. It fails if anything else changed: a status, a field, a header, a route.
 * Ids are replaced by their order of appearance; times, secrets and durations by a constant.
 */

const recording: Record<string, unknown> = {};

/** Returns a random source for the service that yields the same bytes in each run. */
function createBytes() {
  const random = createRandom(1);
  return (size: number) => Buffer.from(Array.from({ length: size }, () => Math.floor(random() * 256)));
}

/** Replaces values that differ between runs. */
function normalize(value: unknown): unknown {
  const ids = new Map<string, string>();
  const idOf = (id: string) => {
    if (!ids.has(id)) ids.set(id, `<id ${ids.size + 1}>`);
    return ids.get(id) ?? id;
  };
  const replace = (text: string) =>
    text
      .replace(/\b(svc_live_|whsec_)?(?=[\w-]*\d)(?=[\w-]*[A-Z])[\w-]{21,}/g, '<secret>')
      .replace(/\b[a-f0-9]{8}(-[a-f0-9]{4}){3}-[a-f0-9]{12}\b/g, '<uuid>')
      .replace(/\b(?=[a-z]*\d)[a-z0-9]{15}\b/g, idOf)
      .replace(/\b20\d\d-\d\d-\d\d([T ][\d:.]+Z?)?/g, '<time>')
      .replace(/(localhost|127\.0\.0\.1|%3A%2F%2Flocalhost)(:|%3A)\d+/g, '<host>');
  return JSON.parse(JSON.stringify(value), (key, item) =>
    typeof item === 'string' ? replace(item) : key === 'duration_ms' ? 0 : item,
  );
}

const recordedHeaders =
  /^(content-type|cache-control|location|allow|vary|link|x-ratelimit-limit|content-security-policy)$/;

test('the recording of responses contains every REST and RPC call, including refusals', async () => {
  await using site = await startSiteForEveryCall(undefined, { random: createBytes() });
  await site.fill();
  for (const call of calls) {
    const record = (name: string, { status, body }: { status: number; body: unknown }, headers: Headers) => {
      const kept = [...headers].filter(([header]) => recordedHeaders.test(header));
      recording[`${call.title} ${name}`] = normalize({ status, body, headers: Object.fromEntries(kept) });
    };
    for (const [name, input, key] of [
      ['without a credential', call.example, ''],
      [
        'with a bad input',
        Object.fromEntries(Object.keys(call.example).map((field) => [field, []])),
        site.key,
      ],
    ] as const) {
      const answer = await call.send(site.app, input, key);
      record(name, answer, answer.headers);
    }
    const { answer } = await site.succeed(call);
    record('carried out', answer, answer.headers);
  }
});

test('the recording of responses contains every assistant tool and resource', async () => {
  await using app = await startApp({ random: createBytes() });
  await fillWithExample(app.deps, await app.seed.ownSite());
  await using assistant = await connectAssistant(app, await app.seed.key({ scopes: scopeNames }));
  const { client } = assistant;
  const { tools } = await client.listTools();
  recording['MCP tools/list'] = normalize(tools);
  recording['MCP resources/list'] = normalize(await client.listResources());
  recording['MCP instructions'] = normalize(client.getInstructions() ?? null);
  for (const { name, annotations } of tools)
    if (annotations?.readOnlyHint)
      recording[`MCP ${name}`] = normalize(await client.callTool({ name, arguments: {} }));
});

const documents = [
  '/openapi.json',
  '/openapi.json?lists=whole',
  '/robots.txt',
  '/llms.txt',
  '/sitemap.xml',
  '/feed.xml',
  '/feed.json',
];

test('the recording of responses contains every page and document', async () => {
  await using app = await startApp({ random: createBytes() });
  await fillWithExample(app.deps, await app.seed.ownSite());
  for (const path of [...demoPages, ...documents]) {
    const { statusCode, headers, body } = await request(app.baseUrl + path);
    const kept = Object.entries(headers).filter(([header]) => recordedHeaders.test(header));
    recording[`GET ${path}`] = normalize({
      status: statusCode,
      headers: Object.fromEntries(kept),
      body: (await body.text()).split('\n'),
    });
  }
});

/** Collects texts that differ. Any other difference is a problem. */
function compare(
  path: string,
  before: unknown,
  after: unknown,
  found: { texts: string[]; problems: string[] },
) {
  if (Object.is(before, after)) return;
  const isText = (value: unknown) => typeof value === 'string' && / /.test(value);
  if (isText(before) && isText(after)) found.texts.push(`${before}\n  → ${after}`);
  else if (typeof before === 'object' && typeof after === 'object' && before && after) {
    const [one, other] = [before, after] as Record<string, unknown>[];
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)]))
      compare(`${path} ${key}`, one?.[key], other?.[key], found);
  } else found.problems.push(`${path}: ${JSON.stringify(before)} → ${JSON.stringify(after)}`);
}

test('the recorded responses equal those of an earlier recording, if one is given', async () => {
  const { RECORD, COMPARE } = process.env;
  if (RECORD) await writeFile(RECORD, JSON.stringify(recording, null, 1));
  if (!COMPARE) return;
  const found = { texts: [] as string[], problems: [] as string[] };
  compare('', JSON.parse(await readFile(COMPARE, 'utf8')), recording, found);
  for (const text of new Set(found.texts)) console.log(text);
  expect(found.problems).toEqual([]);
});
