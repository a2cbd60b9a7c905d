import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { doors } from './directions.ts';
import { importsIn, importsOf, refusalOf } from './imports.ts';

const root = path.join(import.meta.dirname, '../..');

const refuses = (file: string, target: string) => refusalOf({ file, line: 1, target }) !== null;

test('the code imports only what the table of directions allows', () => {
  expect(importsOf(root).flatMap((one) => refusalOf(one) ?? [])).toEqual([]);
});

const sourcesOf = (pattern: string) =>
  globSync(pattern, { cwd: root }).map(
    (file) => [file, readFileSync(path.join(root, file), 'utf8')] as const,
  );

test('no floor below the features uses the parts of Deps that a feature adds', () => {
  const added = sourcesOf('server/{content,audience,accounts,events,media,transfer}/**/*.ts').flatMap(
    ([, code]) => {
      const [declared = ''] = /^declare module '[./]+api\/deps\.ts' \{.*?^\}/ms.exec(code) ?? [];
      return [...declared.matchAll(/^ {4}(\w+)\??[:(]/gm)].map(([, name]) => name);
    },
  );
  const names = added.join('|');
  const taken = `\\{[^{}]*\\b(${names})\\b[^{}]*\\}: [^,)]*(Deps|Infrastructure)`;
  const use = new RegExp(`deps\\.(${names})\\b|'(${names})'|${taken}`);
  const below = sourcesOf('server/api/{*.ts,{limits,cache,calls,access}/**/*.ts}');
  expect(added).toContain('signIn');
  expect(below.filter(([, code]) => use.test(code)).map(([file]) => file)).toEqual([]);
});

/** Floors from the lowest to the highest. */
const floors = {
  server: [
    'shared/contract',
    'shared/db',
    'server/api',
    'server/api/limits',
    'server/api/access',
    'server/media',
    'server/transfer',
    'server/api/router',
    'server/http',
    'server/http/rest',
    'server/site',
    'server/start',
  ],
  studio: ['strings', 'ui', 'forms', 'data', 'records', 'screens/media', 'app'].map(
    (floor) => `client/studio/${floor}`,
  ),
};

test.each(Object.entries(floors))('%s: no floor imports from a higher one', (_, parts) => {
  const up = parts.flatMap((lower, at) => parts.slice(at + 1).map((higher) => [lower, higher] as const));
  const allowed = up.filter(([lower, higher]) => !refuses(`${lower}/a.ts`, `${higher}/b.ts`));
  expect(allowed).toEqual([]);
});

const refused: [file: string, target: string][] = [
  ['shared/contract/a.ts', 'node:crypto'],
  ['shared/contract/a.ts', 'kysely'],
  ['shared/contract/a.ts', 'shared/webhooks/b.ts'],
  ['shared/db/a.ts', 'worker/b.ts'],
  ['shared/db/a.ts', 'client/sdk/index.ts'],
  ['server/main.ts', 'worker/b.ts'],
  ['server/http/rest/a.ts', 'client/sdk/index.ts'],
  ['server/api/a.ts', 'server/start/settings.ts'],
  ['server/content/posts/a.ts', 'server/start/compose.ts'],
  ['server/http/rest/a.ts', 'server/start/serve.ts'],
  ['server/api/limits/a.ts', 'server/api/cache/b.ts'],
  ['server/api/cache/a.ts', 'server/api/limits/b.ts'],
  ['server/content/posts/a.ts', 'server/media/b.ts'],
  ['server/content/posts/deep/a.ts', 'server/media/b.ts'],
  ['server/content/posts/a.ts', 'server/audience/newsletters/b.ts'],
  ['server/accounts/people/a.ts', 'server/audience/members/b.ts'],
  ['server/http/rest/a.ts', 'server/content/posts/b.ts'],
  ['server/http/a.ts', 'server/http/rest/b.ts'],
  ['server/site/a.ts', 'kysely'],
  ['server/site/a.ts', '@mikro-orm/core'],
  ['server/site/a.ts', 'shared/db/b.ts'],
  ['shared/contract/a.ts', 'shared/contract/features/b.ts'],
  ['shared/contract/audience/a.ts', 'shared/contract/features/b.ts'],
  ['worker/a.ts', 'server/api/b.ts'],
  ['worker/a.ts', 'client/sdk/index.ts'],
  ['client/sdk/a.ts', 'server/api/router/b.ts'],
  ['client/sdk/a.ts', 'shared/webhooks/b.ts'],
  ['client/sdk/a.ts', 'zod'],
  ['client/sdk/a.ts', 'node:crypto'],
  ['client/studio/ui/a.ts', 'node:crypto'],
  ['client/studio/app/a.ts', 'shared/webhooks/b.ts'],
  ['client/studio/data/a.ts', 'client/sdk/time.ts'],
  ['client/studio/screens/media/a.ts', 'client/studio/screens/trash/b.ts'],
  ['server/api/a.ts', 'test/support/b.ts'],
];

test.each(refused)('%s may not import %s', (file, target) => {
  expect(refuses(file, target)).toBe(true);
});

test.each(Object.entries(doors))('%s is closed: other rooms import only its doors', (folder, files) => {
  for (const name of ['README.md', ...files])
    expect(existsSync(path.join(root, folder, name)), name).toBe(true);
  const outside = 'server/start/a.ts';
  expect(files.filter((name) => refuses(outside, `${folder}/${name}`))).toEqual([]);
  expect(refuses(outside, `${folder}/inside.ts`)).toBe(true);
  expect(refuses(outside, `${folder}/deep/index.ts`)).toBe(true);
  expect(refuses(`${folder}/a.ts`, `${folder}/inside.ts`)).toBe(false);
});

test('imports are found in all their forms', () => {
  const code = `
    import type { A } from '../a.ts';
    import './b.css';
    export * from './c.ts';
    export { d } from './d.ts';
    const e = await import('./e.ts');
    type F = import('./f.ts').F;
  `;
  expect(importsIn('x/y/z.ts', code).map(({ line, target }) => [line, target])).toEqual([
    [2, 'x/a.ts'],
    [3, 'x/y/b.css'],
    [4, 'x/y/c.ts'],
    [5, 'x/y/d.ts'],
    [6, 'x/y/e.ts'],
    [7, 'x/y/f.ts'],
  ]);
});
