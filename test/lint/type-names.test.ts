import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const checkout = path.join(import.meta.dirname, '../..');

/** Types that the client package and the service both declare, with the same name on purpose. */
const ofBothSides = [
  'ApiError',
  'ErrorCode',
  'FactorChallenge',
  'FieldError',
  'LoggedEvent',
  'OutputOf',
  'SiteChoice',
];

/** Returns the files that declare each exported type, by its name. */
function declaredTypes(): Map<string, string[]> {
  const files = globSync('{server,shared,worker,client}/**/*.{ts,tsx}', {
    cwd: checkout,
    exclude: (name) => /(^|\/)(node_modules|dist|migrations)$/.test(name),
  });
  const declared = new Map<string, string[]>();
  for (const file of files)
    for (const [, name = ''] of readFileSync(path.join(checkout, file), 'utf8').matchAll(
      /^export (?:type|interface|class) (\w+)/gm,
    ))
      declared.set(name, [...(declared.get(name) ?? []), file]);
  return declared;
}

test('no two exported types share a name, except the listed ones', () => {
  const shared = [...declaredTypes()].filter(
    ([name, files]) => files.length > 1 && !ofBothSides.includes(name),
  );
  expect(shared).toEqual([]);
});
