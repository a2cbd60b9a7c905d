import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Field } from './fields.ts';
import {
  dateTime,
  flag,
  list,
  markdown,
  money,
  paragraph,
  partialDate,
  quantity,
  requiredText,
  sortOrder,
  text,
  url,
  visibility,
} from './fields.ts';
import { filterShape } from './filters.ts';

const kept = ['created_from', 'created_before', 'updated_from', 'updated_before'];

const cases: [string, Field, string[]][] = [
  ['short text', text(200, 'A place', 'Porto'), ['it']],
  ['required text', requiredText(200, 'A name', 'Ada'), ['it']],
  ['a choice', visibility, ['it']],
  ['a list', list('Topics', ['a']), ['it']],
  ['a flag', flag('Whether it is so'), ['it']],
  ['a moment', dateTime('When it was'), ['it_from', 'it_before']],
  ['a partial date', partialDate('When it was', '2026'), ['it_from', 'it_before']],
  ['a whole number', sortOrder, ['it_min', 'it_max']],
  ['a number', quantity('How much', 1), ['it_min', 'it_max']],
  ['an amount', money('How much', 1), ['it_min', 'it_max']],
  ['long text', paragraph(5_000, 'About it', 'It is.'), []],
  ['Markdown', markdown(50_000, 'About it', 'It is.'), []],
  ['an address', url('Where it is', 'https://example.com'), []],
];

test.for(cases)('the declaration of %s adds its filters', ([, field, parameters]) => {
  expect(Object.keys(filterShape({ it: field }))).toEqual([...parameters, ...kept]);
});

test('the title of a resource has no filter', () => {
  expect(Object.keys(filterShape({ title: requiredText(200, 'Title', 'A') }))).toEqual(kept);
});

test('a filter with the same values in any order or form is the same query', () => {
  const contract = z.object(filterShape({ it: text(200, 'A place', 'Porto') }));
  const requested = [{ it: 'b,a' }, { it: 'a,b,a' }, { it: ['a', 'b'] }, { it: ['b', 'a', 'b'] }];
  for (const input of requested) expect(contract.parse(input)).toEqual({ it: ['a', 'b'] });
});

test('every filter has a description and a valid example', () => {
  const fields = Object.fromEntries(cases.map(([, field], n) => [`it${n}`, field]));
  for (const [name, schema] of Object.entries(filterShape(fields))) {
    const {
      description,
      examples,
      anyOf = [],
    } = z.toJSONSchema(schema, {
      io: 'input',
      unrepresentable: 'any',
    });
    const shown = [examples, ...anyOf.map((one) => one.examples)].flatMap((some) => some ?? []);
    expect([name, description]).toEqual([name, expect.stringMatching(/`(it|created|updated)/)]);
    for (const example of shown) expect(schema.safeParse(example).success).toBe(true);
    expect([name, shown.length > 0]).toEqual([name, true]);
  }
});
