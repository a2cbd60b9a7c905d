import fc from 'fast-check';
import superjson from 'superjson';
import { expect, test } from 'vitest';
import { values } from '../../client/sdk/values.ts';
import { transformer } from '../../server/api/transformer.ts';

/** Any value that a contract accepts or returns: JSON with Dates and unset fields. */
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.date({ noInvalidDate: true }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.stringMatching(/^[a-z][a-z_0-9]{0,8}$/), fc.option(tie('value'), { nil: undefined }), {
      maxKeys: 4,
      noNullPrototype: true,
    }),
  ),
}));

const record = fc.dictionary(fc.stringMatching(/^[a-z_]{1,8}$/), value, { noNullPrototype: true });

/** The payload as the other side receives it. */
const sent = (payload: unknown) => JSON.parse(JSON.stringify(payload));

test('the client reads what superjson writes for JSON values, Dates and unset fields', () => {
  fc.assert(
    fc.property(record, (given) => {
      expect(values.deserialize(sent(superjson.serialize(given)))).toEqual(given);
    }),
  );
});

test('the service and superjson read every value that the client writes', () => {
  fc.assert(
    fc.property(record, (given) => {
      expect(transformer.deserialize(sent(values.serialize(given)))).toEqual(given);
      expect(superjson.deserialize(sent(values.serialize(given)))).toEqual(given);
    }),
  );
});

test('one Date in two fields arrives in both', () => {
  const timestamp = new Date('2026-01-31T09:05:00.123Z');
  const record = { created: timestamp, updated: timestamp };
  expect(values.deserialize(sent(superjson.serialize(record)))).toEqual(record);
  expect(superjson.deserialize(sent(values.serialize(record)))).toEqual(record);
});

test('an annotation whose path leaves the response is ignored', () => {
  const meta = { values: { '__proto__.polluted': ['Date'], 'constructor.name': ['Date'], a: ['Set'] } };
  expect(values.deserialize({ json: { a: [1] }, meta })).toEqual({ a: [1] });
  expect(Reflect.get({}, 'polluted')).toBeUndefined();
});
