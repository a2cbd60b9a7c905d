import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { removable } from '../features/removable.ts';

const root = path.join(import.meta.dirname, '../..');

/** Number of lines from which a file may have a single importer in its folder. */
const minLines = 45;

/** Small files that stay apart, with the reason. */
const exceptions: Record<string, string> = {
  'client/studio/forms/differences/line-differences.tsx': 'its importer loads it on first use',
  'server/accounts/audit/store.ts': 'procedures contain no SQL',
  'server/http/rpc/limit-calls.ts': 'limits of calls, apart from the routes that answer them',
  'test/support/statements/reads-more.ts': 'a table of exceptions, apart from the code that uses it',
  'worker/newsletters/lay-out-process.ts': 'the entry of a process',
};

/** Importers that stay as they are: lists of the files of their folder, and tests. */
const isTableOrTest = (file: string) => /\/(index|ui-strings|.*\.test)\.tsx?$/.test(file);

const removableParts = Object.values(removable).flatMap(({ folders }) => folders);
const isRemovable = (file: string) =>
  removableParts.some((part) => file === part || file.startsWith(`${part}/`));

const sources = globSync('{server,shared,worker,client,test}/**/*.{ts,tsx}', {
  cwd: root,
  exclude: (name) => /(^|\/)(node_modules|dist)$/.test(name),
}).map((file) => ({ file, code: readFileSync(path.join(root, file), 'utf8') }));

const importers = Map.groupBy(
  sources.flatMap(({ file, code }) =>
    [...code.matchAll(/(?:\bfrom |\bimport[ (])'(\.[^']+)'/g)].map(([, target = '']) => ({
      target: path.posix.join(path.posix.dirname(file), target),
      file,
    })),
  ),
  ({ target }) => target,
);

test('a small file with a single importer in its folder is part of that importer', () => {
  const small = sources.filter(({ file, code }) => {
    const [importer, ...others] = new Set(importers.get(file)?.map((use) => use.file));
    return (
      importer !== undefined &&
      others.length === 0 &&
      path.dirname(importer) === path.dirname(file) &&
      !isTableOrTest(importer) &&
      !isRemovable(file) &&
      code.split('\n').length <= minLines
    );
  });
  const names = small.map(({ file }) => file);
  expect(names.filter((file) => !exceptions[file])).toEqual([]);
  expect(Object.keys(exceptions).filter((file) => !sources.some((source) => source.file === file))).toEqual(
    [],
  );
});
