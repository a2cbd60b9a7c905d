import { expect, test } from 'vitest';
import { z } from 'zod';
import { proceduresOf } from '../../server/api/procedures.ts';
import { appRouter } from '../../server/api/router/app-router.ts';

/** Returns the error message for a malformed text, for every field of every procedure that has a format. */
function wordsOf(): [procedure: string, message: string][] {
  const words: [string, string][] = [];
  for (const [name, { input }] of proceduresOf(appRouter)) {
    if (!input) continue;
    z.toJSONSchema(input, {
      io: 'input',
      unrepresentable: 'any',
      override({ zodSchema, jsonSchema }) {
        if (jsonSchema.pattern === undefined || zodSchema._zod.def.type !== 'string') return;
        const messages = z.safeParse(zodSchema, '\u00a0').error?.issues.map(({ message }) => message) ?? [];
        words.push(...messages.map((message): [string, string] => [name, message]));
      },
    });
  }
  return words;
}

test('error messages for malformed texts describe the required format in words', () => {
  const words = wordsOf();
  expect(words.length).toBeGreaterThan(20);
  expect(words.filter(([, message]) => /^must match|documented/.test(message))).toEqual([]);
});
