import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const checkout = path.join(import.meta.dirname, '../..');

// V8 creates a hidden class for each object with an accessor, and keeps it in the old part of the heap. The hidden class
// holds the accessor's closure, so that everything in a request outlives it. This cost half of the time of a request.

test('no object has accessors: values that are computed on each access are methods', () => {
  const files = globSync('{server,shared,worker}/**/*.ts', { cwd: checkout });
  const written = files.flatMap((file) =>
    readFileSync(path.join(checkout, file), 'utf8')
      .split(/^(?:export )?class .*?^}$/ms)
      .flatMap((text) => text.match(/^\s+[gs]et \w+\(.*$/gm) ?? [])
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(written).toEqual([]);
});
