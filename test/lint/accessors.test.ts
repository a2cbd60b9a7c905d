import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const checkout = path.join(import.meta.dirname, '../..');

// V8 makes a shape of its own for each object that is written with an accessor. Shapes live in the old part of the heap and
// hold the accessor with all that it closes over, so whatever belongs to a request outlives it, and what outlives a request
// took half of the time of each.

test('no object is written with an accessor: what is asked anew each time is a method', () => {
  const files = globSync('{server,shared,worker}/**/*.ts', { cwd: checkout });
  const written = files.flatMap((file) =>
    readFileSync(path.join(checkout, file), 'utf8')
      .split(/^(?:export )?class .*?^}$/ms)
      .flatMap((text) => text.match(/^\s+[gs]et \w+\(.*$/gm) ?? [])
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(written).toEqual([]);
});
