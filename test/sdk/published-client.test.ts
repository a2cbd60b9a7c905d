import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { currentCompiler, installClient, oldestCompiler } from '../support/installed-client.ts';

const run = promisify(execFile);
const { resolve } = createRequire(import.meta.url);

/** Programs of the oldest supported and the newest Node.js, which are installed for Linux only. */
const isLinux = process.platform === 'linux' && process.arch === 'x64';
const nodes = isLinux
  ? {
      'the oldest Node.js': resolve('node-oldest/bin/node'),
      'the newest Node.js': resolve('node-newest/bin/node'),
    }
  : { 'the Node.js of the service': process.execPath };
const compilers = {
  'the oldest supported TypeScript': oldestCompiler,
  'the newest TypeScript': currentCompiler,
};
const resolutions = {
  nodenext: { module: 'nodenext', sources: ['program.mts', 'program.cts'] },
  bundler: { module: 'esnext', sources: ['program.mts'] },
};

let client: Awaited<ReturnType<typeof installClient>>;
let app: Awaited<ReturnType<typeof startApp>>;
beforeAll(async () => {
  app = await startApp({ limits: { normal: { perMinute: 60_000, burst: 1_000 } } });
  client = await installClient();
  for (const name of ['program.mts', 'program.cts']) await client.write(name, program);
});
afterAll(async () => {
  await client[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
});

/** Reads, writes, pages, follows, and catches errors. It is an ES module or CommonJS, depending on its file. */
const program = `
import { createClient, isApiError, pages, unwrapWebhook, WebhookError } from 'creator-content-client';

declare const process: { argv: string[] };
const [, , baseUrl = '', apiKey = ''] = process.argv;

async function main(): Promise<void> {
  const { v1 } = createClient({ baseUrl, apiKey });
  const found: (string | boolean)[] = [];
  for (const title of ['First', 'Second']) await v1.posts.create.mutate({ title, tags: ['typed'] });
  for await (const post of pages(v1.posts.list, { tags: ['typed'], sort: 'title', limit: 1 })) {
    found.push(post.title, post.created instanceof Date);
    await v1.posts.delete.mutate({ id: post.id });
    break;
  }
  const missing = v1.posts.get.query({ slug: 'nothing-here' });
  await missing.catch((error: unknown) => isApiError(error) && found.push(error.data.code));
  const unsigned = unwrapWebhook('{}', {}, 'whsec_of_a_subscription');
  await unsigned.catch((error: unknown) => error instanceof WebhookError && found.push(error.refusal));
  const since = new Date(0);
  const { next_cursor: after } = await v1.events.poll.query({ event: 'content.created', since, limit: 1 });
  for await (const event of v1.events.follow.subscribe({ events: ['content.created'], after })) {
    found.push(event.data.event, event.data.timestamp instanceof Date);
    break;
  }
  console.log(JSON.stringify(found));
}
void main();
`;

const compiled = Object.keys(compilers).flatMap((compiler) =>
  Object.keys(resolutions).map((resolution) => ({ compiler, resolution })),
);

test.each(compiled)(
  'a strict program compiled by $compiler with module resolution $resolution runs on the oldest and newest Node.js',
  async ({ compiler, resolution }) => {
    const { module, sources } = resolutions[resolution as keyof typeof resolutions];
    const outDir = `${compiler} ${resolution}`;
    const options = { noEmit: false, target: 'es2022', lib: ['es2022', 'dom'], module, outDir };
    const errors = await client.typeErrors(
      sources,
      { ...options, moduleResolution: resolution },
      compilers[compiler as keyof typeof compilers],
    );
    expect(errors).toBe('');
    const key = await app.seed.key();
    for (const source of sources)
      for (const [name, node] of Object.entries(nodes)) {
        const script = path.join(outDir, source.replace('ts', 'js'));
        const { stdout } = await run(node, [script, app.baseUrl, key], { cwd: client.project, env: {} });
        expect([source, name, JSON.parse(stdout)]).toEqual([
          source,
          name,
          ['First', true, 'not_found', 'missing_signature', 'content.created', true],
        ]);
      }
  },
);

test('the command of the package runs on the oldest and newest Node.js', async () => {
  const command = path.join(client.project, 'node_modules/.bin/creator-content-client');
  for (const node of Object.values(nodes)) {
    const { stdout } = await run(node, [command, '--help'], { env: {} });
    expect(stdout).toContain('creator-content-client listen');
  }
});

test('the published package consists of the built files, its README and its license, and needs no other package', async () => {
  expect((await readdir(client.installed)).toSorted()).toEqual([
    'LICENSE',
    'README.md',
    'dist',
    'package.json',
  ]);
  expect((await readdir(path.join(client.project, 'node_modules'))).toSorted()).toEqual([
    '.bin',
    '.package-lock.json',
    'creator-content-client',
  ]);
  const manifest = JSON.parse(await readFile(path.join(client.installed, 'package.json'), 'utf8'));
  expect(Object.keys(manifest).filter((name) => /dependencies$/i.test(name))).toEqual([]);
  expect(manifest).toMatchObject({ sideEffects: false, engines: { node: '>=20' }, license: 'MIT' });
});

test('links in the published README lead to its own sections or to full addresses', async () => {
  const readme = await readFile(path.join(client.installed, 'README.md'), 'utf8');
  const links = [...readme.matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target);
  expect(links.filter((target) => !/^(https:\/\/|#)/.test(target))).toEqual([]);
});
