import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { oas31 } from 'openapi3-ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { restRouter } from '../../server/router/app-router.ts';
import { createOpenApiDocument } from '../../server/surfaces/openapi/document.ts';
import * as languages from '../../server/surfaces/openapi/samples/languages.ts';
import type { SampleRequest } from '../../server/surfaces/openapi/samples/sample-request.ts';
import { scopeNames } from '../../shared/contract/scopes.ts';
import { startApp } from '../support/app.ts';
import { installClient } from '../support/installed-client.ts';
import { smallestPicture } from '../support/pictures.ts';
import { ownerClient } from '../support/rpc.ts';

const run = promisify(execFile);

const app = await startApp();
const siteId = await app.seed.ownSite();
const ownerToken = await app.seed.ownerToken(siteId);
const { studio } = ownerClient(app.baseUrl, ownerToken);
const draft = await studio.posts.create.mutate({ title: 'To be seen', is_draft: true });
const preview = await studio.previews.create.mutate({ collection: 'posts', id: draft.id, as: 'free' });
const environment = {
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  API_KEY: await app.seed.key({ scopes: scopeNames }),
  OWNER_TOKEN: ownerToken,
  PREVIEW_TOKEN: preview.token,
};
const document = await createOpenApiDocument(restRouter, new URL(app.baseUrl));

let client: Awaited<ReturnType<typeof installClient>>;
beforeAll(async () => {
  client = await installClient();
  await writeFile(path.join(client.project, 'picture.png'), smallestPicture);
});
afterAll(async () => {
  await client[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
});

interface Sampled {
  name: string;
  samples: { lang: string; source: string }[];
}

const operations: Sampled[] = Object.entries(document.paths ?? {}).flatMap(
  ([path, methods]: [string, oas31.PathItemObject]) =>
    Object.entries(methods).map(([method, operation]: [string, oas31.OperationObject]) => ({
      name: `${method.toUpperCase()} ${path}`,
      samples: operation['x-codeSamples'],
    })),
);

/** What can be asked of any site, and all that a post goes through. */
const tried = (language: string) => {
  const one = '/api/v1/posts/{idOrSlug}';
  const reads = operations.filter(({ name }) => /^GET [^{]*$/.test(name));
  const writes = ['POST /api/v1/posts', 'POST /api/v2/media', `GET ${one}`, `PATCH ${one}`, `DELETE ${one}`];
  const chosen = [
    ...reads,
    ...writes.flatMap((write) => operations.find(({ name }) => name === write) ?? []),
  ];
  expect(chosen.length).toBeGreaterThan(25);
  return chosen.flatMap(({ samples }) => samples.filter(({ lang }) => lang === language));
};

/** The sources for a post that there is, in place of the one that examples name. */
async function sourcesIn(language: string): Promise<string[]> {
  const key = environment.API_KEY;
  const { body } = await app.post('/api/v1/posts', {
    key,
    body: { title: 'A post', slug: `in-${language}`, published_at: '2026-01-01T00:00:00Z' },
  });
  return tried(language).map(({ source }) =>
    source
      .replaceAll('mb3k9x2a7f0q1zd', (body as { id: string }).id)
      .replaceAll('type-safe-apis', `in-${language}`),
  );
}

const inProject = () => ({ cwd: client.project, env: environment });

test('every operation is shown in curl, fetch, the client and Python; files in those that send them', () => {
  const shownIn = operations.map(({ name, samples }) => [name, samples.map(({ lang }) => lang).join(' ')]);
  const others = shownIn.filter(([, shown]) => shown !== 'shell javascript typescript python');
  expect(others).toEqual([
    ['POST /api/v2/media', 'shell javascript'],
    ['POST /api/admin/media', 'shell javascript'],
  ]);
});

test('the samples in curl run as they are', async () => {
  const checked = 'set -e\ncurl() { command curl -sS --fail-with-body "$@"; echo; }\n';
  const sources = await sourcesIn('shell');
  const { stdout } = await run('sh', ['-c', checked + sources.join('\n')], inProject());
  expect(stdout.trim().split('\n')).toHaveLength(sources.length);
});

test.for(['javascript', 'typescript'])('the samples in %s run as they are', async (language) => {
  const sources = await sourcesIn(language);
  const files = sources.map((_, index) => `${language}-${index}.mjs`);
  await Promise.all(sources.map((source, index) => client.write(files[index] ?? '', source)));
  const all = files.map((file) => `await import('./${file}');`).join('\n');
  await client.write(`${language}.mjs`, all);
  const { stdout } = await run(process.execPath, [`${language}.mjs`], inProject());
  if (language === 'javascript') expect(stdout.match(/^20[01] /gm)).toHaveLength(sources.length);
  expect(stdout).not.toBe('');
});

const hasPython = await run('python3', ['--version']).then(
  () => true,
  () => false,
);

test.runIf(hasPython)('the samples in Python run as they are, with its standard library alone', async () => {
  const sources = await sourcesIn('python');
  const { stdout } = await run('python3', ['-c', sources.join('\n')], inProject());
  expect(stdout.match(/^20[01] /gm)).toHaveLength(sources.length);
});

test('a value with a quote or a line in it stays one argument of the shell, and one text of the scripts', async () => {
  const values = { title: `It's "quoted" \\ $HOME \`id\``, content: 'one\ntwo', tags: [], featured: true };
  const request: SampleRequest = {
    origin: app.baseUrl,
    method: 'POST',
    path: '/api/v1/posts',
    secret: 'API_KEY',
    showsPreview: false,
    body: values,
    sendsFile: false,
    call: { name: 'v1.posts.create', verb: 'mutate', input: values },
  };
  await client.write('quoted.mjs', languages.fetchScript(request));
  await client.write('quoted-client.mjs', languages.client(request) ?? '');
  await run('sh', ['-c', languages.curl(request)], inProject());
  await run(process.execPath, ['quoted.mjs'], inProject());
  await run(process.execPath, ['quoted-client.mjs'], inProject());
  if (hasPython) await run('python3', ['-c', languages.python(request) ?? ''], inProject());
  const { body } = await app.get('/api/v1/posts?fields=title,content,featured&q=quoted', {
    key: environment.API_KEY,
  });
  const { tags: _, ...shown } = values;
  expect(body).toMatchObject({ data: Array.from({ length: hasPython ? 4 : 3 }, () => shown) });
});
