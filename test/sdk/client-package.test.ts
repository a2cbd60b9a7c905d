import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { checkPackage, Package } from '@arethetypeswrong/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readmeOfToday } from '../../client/sdk/build/readme.ts';
import { deliveryHeaders } from '../../shared/webhooks/index.ts';
import { startApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { codeIn, installClient, oldestCompiler } from '../support/installed-client.ts';
import { findFreePort } from '../support/process.ts';

let client: Awaited<ReturnType<typeof installClient>>;
beforeAll(async () => {
  client = await installClient();
});
afterAll(() => client[Symbol.asyncDispose]());

test('the package contains a module for each source file, types for its exports, and both again for CommonJS', async () => {
  const declarations = [...typesOnly, ...typed].map((name) => `${name}.d.ts`);
  const modules = await readdir(new URL('../../client/sdk', import.meta.url));
  const names = modules.filter((file) => file.endsWith('.ts')).map((file) => file.slice(0, -'.ts'.length));
  const withCode = names.filter((name) => !typesOnly.includes(name));
  expect((await readdir(client.dist)).toSorted()).toEqual(
    [
      'THIRD-PARTY-LICENSES.txt',
      'bin.js',
      'cjs',
      'libraries.js',
      ...withCode.map((name) => `${name}.js`),
      ...declarations,
    ].toSorted(),
  );
  expect((await readdir(path.join(client.dist, 'cjs'))).toSorted()).toEqual(
    ['index.js', 'package.json', ...declarations].toSorted(),
  );
});

const typesOnly = ['api-client', 'client-options', 'contract'];
const typed = [
  'api-error',
  'create-client',
  'etag',
  'index',
  'pages',
  'quota',
  'srcset',
  'unwrap-webhook',
  'verify-webhook',
];

test('every way to resolve the package, as ES module or CommonJS, finds types that match its code', async () => {
  const files = await readdir(client.installed, { recursive: true, withFileTypes: true });
  const contents = files
    .filter((file) => file.isFile())
    .map(async (file) => {
      const name = path.join(file.parentPath, file.name);
      const inProject = path.join('/', path.relative(client.project, name));
      return [inProject, await readFile(name, 'utf8')] as const;
    });
  const held = new Package(
    Object.fromEntries(await Promise.all(contents)),
    'creator-content-client',
    '1.0.0',
  );
  const checked = await checkPackage(held, { entrypoints: ['.'] });
  expect(checked).toMatchObject({ types: { kind: 'included' }, problems: [] });
});

test('the types compile with module resolution node10, in the oldest supported compiler', async () => {
  await client.write(
    'old.cts',
    "import client = require('creator-content-client');\nclient.isApiError(null);\n",
  );
  const old = { target: 'es2022', module: 'commonjs', moduleResolution: 'node10', lib: ['es2023', 'dom'] };
  expect(await client.typeErrors('old.cts', old, oldestCompiler)).toBe('');
});

test('CommonJS gets the same exports as ES modules, and they work', async () => {
  await using app = await startApp();
  await client.write(
    'required.cjs',
    `const { createClient, ...others } = require('creator-content-client');
    createClient({ baseUrl: process.argv[2], apiKey: process.argv[3] }).v1.skills.list.query().then(({ data }) =>
      console.log(JSON.stringify([data, Object.keys(others).sort()])));`,
  );
  await client.write(
    'imported.mjs',
    `import * as all from 'creator-content-client';
    console.log(JSON.stringify(Object.keys(all).sort()));`,
  );
  const key = await app.seed.key();
  const read = ['etagOf', 'isApiError', 'pages', 'srcsetOf'];
  const exported = ['WebhookError', ...read, 'unwrapWebhook', 'verifyWebhook'];
  expect(await run('required.cjs', app.baseUrl, key)).toEqual([[], exported]);
  expect(await run('imported.mjs')).toEqual(['WebhookError', 'createClient', ...exported.slice(1)]);
});

/** Runs a script in a project that has the package installed. Returns its output, parsed as JSON. */
async function run(...args: string[]): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: client.project });
  return JSON.parse(stdout);
}

test('the whole package adds less than 15 KB to a page, compressed', async () => {
  expect(gzipSync(await client.bundle("export * from 'creator-content-client';")).length).toBeLessThan(
    15_000,
  );
});

test('no published type refers to the service or to a library', async () => {
  const declarations = (await readdir(client.dist)).filter((file) => file.endsWith('.d.ts'));
  for (const file of declarations) {
    const text = await readFile(path.join(client.dist, file), 'utf8');
    const sources = [...text.matchAll(/(?:from|import\() ?["']([^"']+)/g)].map(([, source]) => source);
    expect(
      sources.filter((source) => !declarations.includes(`${source?.slice(2, -3)}.d.ts`)),
      file,
    ).toEqual([]);
    const types = text.replace(/\/\*\*.*?\*\//gs, '');
    expect(types, file).not.toMatch(/trpc|zod|fastify|mikro|kysely|\bany\b/i);
  }
});

test('descriptions of the contract are published as doc comments of the types', async () => {
  const text = await readFile(path.join(client.dist, 'contract.d.ts'), 'utf8');
  expect(text).toContain('/** Title of the post */\n          title: string;');
  expect(text).toContain('/** Create a post */\n      create: {');
});

test('the types compile in a strict project that checks libraries, in Node and in a browser', async () => {
  await client.write('all.ts', "export * from 'creator-content-client';\n");
  const browser = { lib: ['es2023', 'dom'], module: 'esnext', moduleResolution: 'bundler' };
  expect(await client.typeErrors('all.ts', browser)).toBe('');
  await client.add('@types/node');
  expect(await client.typeErrors('all.ts', { lib: ['es2023'], types: ['node'] })).toBe('');
});

test('the published types pass the type tests of the source', async () => {
  const errorCodes = new URL('../../shared/contract/errors.ts', import.meta.url).pathname;
  const options = {
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    types: ['node'],
    exactOptionalPropertyTypes: true,
  };
  await client.add('@types/node');
  await client.add('vitest');
  for (const file of ['client.test-d.ts', 'events.test-d.ts']) {
    const source = await readFile(new URL(`../types/${file}`, import.meta.url), 'utf8');
    const published = source.replace('../../client/sdk/index.ts', 'creator-content-client');
    await client.write('types.ts', published.replace('../../shared/contract/errors.ts', errorCodes));
    expect([file, await client.typeErrors('types.ts', options)]).toEqual([file, '']);
  }
});

test.each(['verifyWebhook', 'unwrapWebhook'])(
  'a bundle of %s alone contains neither tRPC nor Zod',
  async (name) => {
    const code = await client.bundle(`export { ${name} } from 'creator-content-client';`);
    expect(code).toContain('x-service-signature');
    expect(code).not.toMatch(/TRPC|superjson|zod/i);
    expect(code.length).toBeLessThan(5_000);
  },
);

test('the README lists every procedure; `pnpm build:client` updates it', async () => {
  expect(await readFile(new URL('../../client/sdk/README.md', import.meta.url), 'utf8')).toBe(
    await readmeOfToday(),
  );
});

test('every TypeScript example of the README runs, except the webhook receiver', async () => {
  await using app = await startApp({ limits: { normal: { perMinute: 60_000, burst: 1_000 } } });
  const setUp = await app.seed.key();
  await app.post('/api/v1/projects', { key: setUp, body: { title: 'Sextant', tech_stack: ['sql'] } });
  const blocks = (await codeIn('client/sdk/README.md', 'ts')).filter(
    (block) => !block.includes("from 'fastify'"),
  );
  await client.write('example.ts', blocks.join('\n').replaceAll('https://ada.example.com', app.baseUrl));
  const env = { ...process.env, API_KEY: await app.seed.key() };
  await client.add('@types/node');
  expect(await client.typeErrors('example.ts', { lib: ['esnext'], types: ['node'] })).toBe('');
  const { stdout } = await promisify(execFile)(process.execPath, ['example.ts'], {
    cwd: client.project,
    env,
  });
  expect(stdout.split('\n')).toEqual([
    'Type-safe APIs without a build step 2026',
    'A site 1 0',
    '1 0',
    'Type-safe APIs without a build step true',
    'precondition_failed',
    "Sextant [ 'sql' ]",
    'projects sextant true',
    'posts type-safe-apis-without-a-build-step true',
    'true',
    'content.created true string',
    'content.updated true string',
    'content.published true string',
    '2 pages',
    expect.stringMatching(/^\d+ of 1000 calls left; reset at 2026-01-31T09:05:/),
    'there is no such post',
    '',
  ]);
});

test('every TypeScript example of the guides compiles in a strict project', async () => {
  const pages = ['docs/start/first-call.md', 'docs/guides/api.md', 'docs/guides/front-end.md'];
  const blocks = (await Promise.all(pages.map((page) => codeIn(page, 'ts', 'tsx')))).flat();
  expect(blocks.length).toBeGreaterThan(6);
  await client.add('@types/node');
  await client.write('next.d.ts', declarationsOfNext);
  const files = blocks.map((block, index) => /^\/\/ (app\/[^\s:]+)/.exec(block)?.[1] ?? `api-${index}.ts`);
  for (const [index, file] of files.entries()) await client.write(file, blocks[index] ?? '');
  const options = { lib: ['es2023', 'dom'], types: ['node'], jsx: 'preserve' };
  const asInNext = { ...options, module: 'esnext', moduleResolution: 'bundler' };
  expect(await client.typeErrors([...files, 'next.d.ts'], asInNext)).toBe('');
});

const declarationsOfNext = `
declare module 'next/headers' {
  export function draftMode(): Promise<{ isEnabled: boolean; enable(): void }>;
  export function cookies(): Promise<{ set(name: string, value: string, options: object): void }>;
}
declare module 'next/cache' { export function revalidatePath(path: string, type: 'layout' | 'page'): void; }
declare module 'next/navigation' {
  export function redirect(path: string): never;
  export function notFound(): never;
}
declare namespace JSX { interface IntrinsicElements { [name: string]: object; } }
`;

const receivers = [
  {
    page: 'client/sdk/README.md',
    marker: "from 'fastify'",
    file: 'receiver.ts',
    printed: /^published Ünïcode 🎉$/,
  },
  {
    page: 'docs/guides/webhooks.md',
    marker: 'createServer',
    file: 'receiver.mjs',
    printed: /"title":"Ünïcode 🎉"/,
  },
];

test.each(receivers)(
  'the receiver of $page accepts signed deliveries, and rejects a changed body',
  async ({ page, marker, file, printed }) => {
    const blocks = await codeIn(page, 'ts', 'js');
    await client.write(file, blocks.find((block) => block.includes(marker)) ?? '');
    if (file.endsWith('.ts')) {
      await client.add('@types/node');
      await client.add('fastify');
      const options = { skipLibCheck: true, lib: ['esnext'], types: ['node'] };
      expect(await client.typeErrors(file, options)).toBe('');
    }
    const secret = 'whsec_a_secret_of_the_subscription';
    const port = await findFreePort();
    const env = { ...process.env, PORT: String(port), WEBHOOK_SECRET: secret };
    const server = spawn(process.execPath, [file], {
      cwd: client.project,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const deliver = async (body: string, signed: string) => {
        const delivery = { event: 'content.published', deliveryId: 'm1a2b3c4d5e6f7g', secret };
        const headers = deliveryHeaders({ ...delivery, sentAt: new Date(), body: Buffer.from(signed) });
        return (await fetch(`http://localhost:${port}/hook`, { method: 'POST', body, headers })).status;
      };
      const data = { id: 'mb3k9x2a7f0q1zd', collection: 'posts', title: 'Ünïcode 🎉', slug: 'unicode' };
      const body = JSON.stringify({ event: 'content.published', timestamp: new Date().toISOString(), data });
      expect(await eventually(() => deliver(body, body).catch(() => null))).toBe(204);
      const [line] = await once(createInterface(server.stdout), 'line');
      expect(line).toMatch(printed);
      expect(await deliver(body.replace('posts', 'pages'), body)).toBe(400);
    } finally {
      server.kill();
    }
  },
);
