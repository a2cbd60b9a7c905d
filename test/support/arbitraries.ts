import fc from 'fast-check';
import type { z } from 'zod';
import type { Schema } from './operations.ts';

/**
 * Strings that break naive code: NUL, halves of surrogate pairs, combining marks, markup, SQL, names of prototype
 * properties, long text.
 */
export const hostileText = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\0',
    'a\0b',
    '\ud800',
    'a\udfff',
    '\u{1f469}\u200d\u{1f4bb}',
    'e\u0301\u202e\ufeff',
    '__proto__',
    'constructor',
    "'; drop table posts; --",
    '<script>alert(1)</script>',
    '../../etc/passwd',
    '%00',
    '{{7*7}}',
    '"}',
    '\r\nX-Injected: 1',
    '9'.repeat(400),
    'a'.repeat(5_001),
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
);

const hostileNumber = fc.constantFrom(
  0,
  -0,
  -1,
  0.1 + 0.2,
  1e21,
  1e308,
  5e-324,
  2 ** 31,
  2 ** 53 + 2,
  -(2 ** 63),
);

/** JSON values of any kind. */
export const anyJson: fc.Arbitrary<unknown> = fc.oneof(hostileText, hostileNumber, fc.jsonValue());

/** Values that `schema` accepts, including its limits. */
export function valuesOf(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return fc.oneof(...options.map((option) => valuesOf(option as Schema)));
  const types = [schema.type ?? []].flat();
  return fc.oneof(...types.map((type) => valuesOfType(type, schema)));
}

function valuesOfType(type: z.core.JSONSchema.SchemaType, schema: Schema): fc.Arbitrary<unknown> {
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -(2 ** 31), max: schema.maximum ?? 2 ** 31 });
    case 'number':
      if (schema.multipleOf === 0.01) return cents(schema);
      return fc.oneof(cents(schema), fc.double({ min: schema.minimum ?? -1e300, noNaN: true, max: 1e300 }));
    case 'array':
      return fc.array(valuesOf(schema.items as Schema), { minLength: schema.minItems ?? 0, maxLength: 3 });
    case 'object':
      return objectsOf(schema);
    default:
      return textsOf(schema);
  }
}

const cents = ({ minimum = 0 }: Schema) =>
  fc.integer({ min: minimum * 100, max: 10 ** 8 }).map((n) => n / 100);

function textsOf(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.format === 'date-time') return timestamps;
  if (schema.pattern) return fc.stringMatching(new RegExp(schema.pattern));
  const { minLength = 0, maxLength = 40 } = schema;
  const shown = schema.examples ? [fc.constantFrom(...schema.examples)] : [];
  const longest = maxLength <= 5_000 ? [fc.constant('é'.repeat(maxLength))] : [];
  return fc.oneof(
    ...shown,
    ...longest,
    fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, 40) }),
  );
}

const timestamps = fc
  .date({
    min: new Date('0000-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59.999Z'),
    noInvalidDate: true,
  })
  .chain((date) => fc.constantFrom(date.toISOString(), date.toISOString().replace('T', ' ')));

function objectsOf({ properties = {}, required = [] }: Schema): fc.Arbitrary<unknown> {
  const fields = Object.entries(properties).map(([name, schema]) => [name, valuesOf(schema as Schema)]);
  return fc.record<Record<string, unknown>>(Object.fromEntries(fields), { requiredKeys: required });
}

/** Objects that almost match `schema`: a field of another type, one too many or one too few. */
export function nearlyValuesOf(schema: Schema): fc.Arbitrary<unknown> {
  const names = Object.keys(schema.properties ?? {});
  const odd = fc.constantFrom(
    '__proto__',
    'constructor',
    'id',
    'site_id',
    'toString',
    '',
    'unlisted',
    ...names,
  );
  return fc
    .tuple(valuesOf(schema), odd, anyJson, fc.boolean())
    .map(([value, name, other, removes]) => change(value as object, name, { removes, other }));
}

function change(value: object, name: string, { removes, other }: { removes: boolean; other: unknown }) {
  const kept = Object.entries(value).filter(([key]) => key !== name);
  // Object.fromEntries makes `__proto__` a normal field. An object literal would not.
  return Object.fromEntries(removes ? kept : [...kept, [name, other]]);
}
