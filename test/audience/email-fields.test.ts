import { expect, test } from 'vitest';
import type { z } from 'zod';
import { proceduresOf } from '../../server/api/procedures.ts';
import { appRouter } from '../../server/api/router/app-router.ts';
import { archiveTables, profileColumns } from '../../server/transfer/archive/archive-tables.ts';
import { emailPattern } from '../../shared/contract/email.ts';
import { explainIssue } from '../../shared/contract/validation-messages.ts';
import { acceptedEmails, refusedEmails } from '../support/email-table.ts';
import { exampleOf, toJsonSchema } from '../support/examples.ts';

// Tests all email fields of procedures. The fields are found in the contracts.

type Schema = z.core.JSONSchema.JSONSchema;

interface EmailField {
  /** Procedure and path of the field, such as `studio.people.invite: email`. */
  title: string;
  input: z.ZodObject;
  path: string[];
  /** Returns an input with the required fields and this field. */
  withValue(value: string): unknown;
}

const isNamedLikeEmail = (path: readonly string[]) =>
  /(^|_)e?mail$|^reply_to$/.test(path.findLast((name) => name !== '0') ?? '');

const isEmail = ({ pattern }: Schema) => pattern === emailPattern || pattern === `^$|${emailPattern}`;

/**
 * Yields each text of a schema with its path, and a function that returns a value with this text and the
 * required fields.
 */
function* textsIn(
  schema: Schema,
  path: string[] = [],
): Generator<{ schema: Schema; path: string[]; withValue(value: string): unknown }> {
  if (schema.type === 'string') yield { schema, path, withValue: (value) => value };
  for (const form of schema.anyOf ?? []) if (typeof form !== 'boolean') yield* textsIn(form, path);
  const { items, required = [], properties = {} } = schema;
  if (typeof items === 'object' && !Array.isArray(items))
    for (const text of textsIn(items, [...path, '0']))
      yield { ...text, withValue: (value) => [text.withValue(value)] };
  const needed = Object.fromEntries(required.map((name) => [name, exampleOf(properties[name])]));
  for (const [name, inner] of Object.entries(properties))
    if (typeof inner !== 'boolean')
      for (const text of textsIn(inner, [...path, name]))
        yield { ...text, withValue: (value) => ({ ...needed, [name]: text.withValue(value) }) };
}

const texts = [...proceduresOf(appRouter).values()].flatMap(({ name, input }) =>
  input
    ? [...textsIn(toJsonSchema(input))].map((text) => ({
        ...text,
        input,
        title: `${name}: ${text.path.join('.')}`,
      }))
    : [],
);

const valueAt = (parsed: unknown, path: readonly string[]) =>
  path.reduce((value: unknown, name) => Object(value)[name], parsed);

/**
 * Fields that accept any text: a wrong address is `unauthorized` at sign-in, and a filter with an unknown
 * value matches nothing.
 */
const anyText = texts.filter(
  ({ title }) => title === 'admin.session.create: email' || /\.members\.list: email(\.0)?$/.test(title),
);

const fields: EmailField[] = texts.filter(({ schema }) => isEmail(schema));

test('every text that is named like an address is validated, or accepts any text and compares it in the stored form', () => {
  const others = texts.filter(({ schema, path }) => !isEmail(schema) && isNamedLikeEmail(path));
  expect(others.map(({ title }) => title)).toEqual(anyText.map(({ title }) => title));
  for (const { input, path, withValue } of anyText)
    for (const [sent, stored] of acceptedEmails)
      expect([sent, [valueAt(input.parse(withValue(sent)), path)].flat()]).toEqual([sent, [stored]]);
});

test('email fields are found in every part of contracts: nested, in lists, optional and in filters', () => {
  expect(fields.map(({ title }) => title)).toEqual(
    expect.arrayContaining([
      'site.newsletter.subscribe: email',
      'studio.people.invite: email',
      'studio.purchases.record: buyer_email',
      'studio.site.update: newsletter.reply_to',
      'studio.subscribers.list: email',
      'v2.mailings.feedback: items.0.email',
      'v2.mailings.test: to.0',
    ]),
  );
});

test.for(fields)(
  '$title accepts, refuses and converts addresses like all other fields',
  ({ input, path, withValue }) => {
    for (const [sent, stored] of acceptedEmails) {
      const { data, error } = input.safeParse(withValue(sent));
      expect([sent, error?.issues, valueAt(data, path)]).toEqual([sent, undefined, stored]);
    }
    for (const [sent, message] of refusedEmails) {
      const issues = input.safeParse(withValue(sent), { error: explainIssue }).error?.issues ?? [];
      expect([sent, issues.map((issue) => [issue.path.join('.'), issue.message])]).toEqual([
        sent,
        [[path.join('.'), message]],
      ]);
    }
  },
);

test('archives validate every column that contains an address', () => {
  const tables = [...archiveTables, { name: 'profile', columns: profileColumns }];
  const columns = tables.flatMap(({ name, columns: all }) =>
    Object.entries(all)
      .filter(([column]) => isNamedLikeEmail([column]))
      .map(([column, { contract }]) => ({ title: `${name}.${column}`, contract })),
  );
  expect(columns.map(({ title }) => title)).toEqual(
    expect.arrayContaining(['members.email', 'subscribers.email', 'purchases.buyer_email', 'profile.email']),
  );
  for (const { title, contract } of columns) {
    for (const [sent, stored] of acceptedEmails)
      expect([title, contract.parse(sent)]).toEqual([title, stored]);
    for (const [sent] of refusedEmails)
      expect([title, sent, contract.safeParse(sent).success]).toEqual([title, sent, false]);
  }
});
