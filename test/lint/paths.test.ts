import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.join(import.meta.dirname, '../..');

/** Configuration of tools and deployments, and the tables that list rooms and files. */
const configuration = [
  '{package,knip,biome,tsconfig}.json',
  'client/*/{package,tsconfig}.json',
  '{vitest.config,client/studio/vite.config,server/start/bundle}.ts',
  '{pnpm-workspace.yaml,.ci/run,CONTRIBUTING.md}',
  'deploy/**/*',
  'test/{lint/directions,features/removable}.ts',
];

/** Paths that builds write. */
const outputs = ['client/sdk/dist', 'client/studio/dist'];

/** Paths from the root of the project, glob patterns included. */
const pathsIn = (text: string) =>
  [
    ...text.matchAll(/(?<![\w./@-])(?:server|shared|worker|client|test|deploy|docs)\/[\w./{},*-]*[\w}*]/g),
  ].map(([found]) => found);

/** True if a file matches the pattern or begins with it: `vitest run` takes the beginning of a path. */
const exists = (pattern: string) =>
  globSync([pattern, `${pattern}*`], { cwd: root, exclude: ['**/node_modules'] }).length > 0;

test('every path of the project that configuration names exists', () => {
  const files = globSync(configuration, { cwd: root, withFileTypes: true }).filter((file) => file.isFile());
  const named = files.flatMap(({ parentPath, name }) => {
    const file = path.join(parentPath, name);
    return pathsIn(readFileSync(file, 'utf8')).map((found) => [path.relative(root, file), found] as const);
  });
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter(([, found]) => !outputs.includes(found) && !exists(found))).toEqual([]);
});

test('a path of a renamed folder is found in each form of configuration', () => {
  const text = `"test": "vitest run test/gone/a" server/gone/{b,c}/** 'shared/gone/*.ts', /opt/content/server/main.ts`;
  expect(pathsIn(text)).toEqual(['test/gone/a', 'server/gone/{b,c}/**', 'shared/gone/*.ts']);
  expect(pathsIn(text).filter(exists)).toEqual([]);
});
