import { z } from 'zod';
import { documented } from './documented.ts';
import { emailPattern, maxEmailLength, storeEmail } from './email.ts';
import { longestSlug } from './limits.ts';
import { DateTime, moment, parseDateTime } from './moments.ts';
import { mapTable } from './names-of.ts';
import { recordIdPattern } from './record-id.ts';

/** PostgreSQL types that a field can be kept in. */
export type ColumnType = 'text' | 'text[]' | 'integer' | 'numeric' | 'boolean' | 'timestamptz(3)';

/** What a field holds, for those who show it: forms choose their inputs by it, lists their columns and filters. */
export type FieldKind =
  | 'text'
  | 'paragraph'
  | 'markdown'
  | 'slug'
  | 'url'
  | 'email'
  | 'list'
  | 'choice'
  | 'flag'
  | 'integer'
  | 'number'
  | 'money'
  | 'moment'
  | 'partial_date'
  | 'reference'
  | 'image'
  | 'image_url';

/**
 * One field of a resource: what a caller may send, what a reader gets, how it is stored and shown, and what it reads as
 * when it was never set or set to null.
 */
export interface Field<In = unknown, Out = unknown, Required extends boolean = boolean> {
  kind: FieldKind;
  /** The values of a choice, or of a text the usual ones, with what their owner reads in their place. */
  choices?: Readonly<Record<string, string>> | undefined;
  input: z.ZodType<In, In>;
  output: z.ZodType<Out>;
  column: ColumnType;
  unset: Out;
  required: Required;
  /** Written in the studio and by imports alone; over the API nobody sends it, nor gets it unasked. */
  ownersOnly?: true;
  /** What the studio asks its owner for. */
  label?: string;
  /** What helps to answer that; empty where nothing has to be said. */
  help?: string;
}

export type Fields = Record<string, Field>;

interface Label {
  label: string;
  help: string;
}

/** Fields that have words for their owner, whom the contract's tell nothing: those are for programmers. */
export type LabelledFields = Record<string, Field & Label>;

export const labelled = <F extends Field>(label: string, field: F, help = ''): F & Label => ({
  ...field,
  label,
  help,
});

/** The schemas that readers of `fields` get, by field. */
export const outputs = <F extends Fields>(fields: F): { [K in keyof F]: F[K]['output'] } =>
  mapTable(fields, ({ output }) => output);

/** What an update of `fields` may send: any of them, and null to unset it. */
export function optionalInputs<F extends Fields>(
  fields: F,
): { [K in keyof F]: z.ZodOptional<z.ZodNullable<F[K]['input']>> } {
  return mapTable(fields, ({ input }) => z.optional(z.nullable(input)));
}

/** What a record reads as before any of its fields is set. */
export const unsetValues = <F extends Fields>(fields: F): { [K in keyof F]: F[K]['unset'] } =>
  mapTable(fields, ({ unset }) => unset);

/** PostgreSQL text holds neither NUL nor half of a surrogate pair. */
export const storableText = (text: string) => !text.includes('\0') && text.isWellFormed();

/** A text without what PostgreSQL doesn't take. */
export const storableTextOf = (text: string) => text.replaceAll('\0', '').toWellFormed();

/** A string of at most `max` UTF-16 units that PostgreSQL can hold, as it was sent. */
export const boundedText = (max: number) => bounded(z.string(), max);

/** Bounded text that is compared, such as a tag or a query value: read in NFC, since programs write one letter in several forms. */
export const comparedText = (max: number) => bounded(z.string().normalize('NFC'), max);

const bounded = (text: z.ZodString, max: number) =>
  text
    .max(max, { abort: true })
    // Zod and JSON Schema count code points, of which some take two units.
    .refine((text) => text.length <= max, {
      error: `must have at most ${max} characters, counted in UTF-16 units`,
    })
    .refine(storableText, { error: 'must not contain a NUL character or half of a surrogate pair' });

const address = { description: 'Email address', examples: ['grace@example.com'] };

/** An email address. Its value is the stored form: lower case, with the domain as A-labels. */
export const Email = boundedText(maxEmailLength)
  .check(storeEmail)
  .meta({ ...address, format: 'email', pattern: emailPattern });

/** Same, or `""` for none. */
export const EmailOrEmpty = boundedText(maxEmailLength)
  .check((payload) => {
    if (payload.value !== '') storeEmail(payload);
  })
  .meta({ ...address, pattern: `^$|${emailPattern}` });

interface TextOptions {
  /** What it reads as when it is not set. */
  unset?: string;
  /** Usual values, and what they are called; any other is taken too. */
  choices?: Readonly<Record<string, string>>;
}

/** Longest text that fits on one line of a form. */
export const longestLine = 500;

/** Optional text of one line in NFC, at most 500 characters; `""` and null mean unset. Lists can be filtered by it. */
export function text(max: number, description: string, example: string, options: TextOptions = {}) {
  if (max > longestLine) throw new Error(`${description}: text of ${max} characters is a paragraph`);
  const { unset = '', choices } = options;
  const usual = choices ? `; usual values: ${Object.keys(choices).join(', ')}` : '';
  const docs = { description: `${description}${usual}`, examples: [example] };
  return {
    ...optional('text', comparedText(max).meta(docs), z.string().meta(docs), 'text', unset),
    choices,
  };
}

/** Optional text of several lines; `""` and null mean unset. */
export function paragraph(max: number, description: string, example: string) {
  const docs = { description, examples: [example] };
  return optional('paragraph', boundedText(max).meta(docs), z.string().meta(docs), 'text', '');
}

/** Optional text in Markdown or HTML. */
export const markdown = (max: number, description: string, example: string) => ({
  ...paragraph(max, `${description}, in Markdown or HTML`, example),
  kind: 'markdown' as const,
});

/** Text of one line that a record can't be without: 1 to `max` characters, as it was sent. */
export function requiredText(max: number, description: string, example: string, read = boundedText) {
  const docs = { description, examples: [example] };
  const field = optional('text', read(max).min(1).meta(docs), z.string().meta(docs), 'text', '');
  return { ...field, required: true as const };
}

/** Required text that lists can be filtered by, in NFC. */
export const requiredName = (max: number, description: string, example: string) =>
  requiredText(max, description, example, comparedText);

/** The id of another record of the site, which must exist. */
export function reference(to: string) {
  const schema = documented(
    z.string().regex(recordIdPattern, { error: `must be the id of a ${to}` }),
    `ID of the ${to}`,
    'mb3k9x2a7f0q1zd',
  );
  return { ...optional('reference', schema, schema, 'text', ''), required: true as const };
}

/** The id of an image of the site; `""` means none. */
export function image(description: string) {
  const docs = { description, examples: [''] };
  const input = z
    .string()
    .regex(new RegExp(`^$|${recordIdPattern.source}`), { error: 'must be the id of an image' });
  return optional('image', input.meta(docs), z.string().meta(docs), 'text', '');
}

/** A field that is the studio's alone. */
export const ownersOnly = <F extends Field>(field: F) => ({ ...field, ownersOnly: true as const });

type OwnersOnly = { ownersOnly: true };

/** The fields that the API has. */
export type ApiFields<F> = { [K in keyof F as F[K] extends OwnersOnly ? never : K]: F[K] };

// The loop loses which fields stay; the type says which.
export const apiFields = <F extends Fields>(fields: F) =>
  Object.fromEntries(Object.entries(fields).filter(([, { ownersOnly }]) => !ownersOnly)) as ApiFields<F>;

/** At most 100 strings of at most 200 characters each, in NFC. Values that differ in their form alone become one. */
export function list(description: string, example: string[]) {
  const docs = { description, examples: [example] };
  const value = boundedText(longestValue).refine((text) => text.normalize().length <= longestValue, {
    error: `must have at most ${longestValue} characters in Unicode NFC`,
  });
  const input = z.array(value).max(100).overwrite(inOneForm).meta(docs);
  return optional<'list', string[], string[]>('list', input, z.array(z.string()).meta(docs), 'text[]', []);
}

const longestValue = 200;

/** Values in NFC. Of those that differ in their form alone, the first stays; one that was sent twice is kept twice. */
function inOneForm(values: readonly string[]): string[] {
  const sent = new Map<string, string>();
  return values.flatMap((value) => {
    const form = value.normalize();
    if (!sent.has(form)) sent.set(form, value);
    return sent.get(form) === value ? [form] : [];
  });
}

/** An absolute http(s) address of at most 2,000 characters; `""` means unset. */
export function url(description: string, example: string) {
  const docs = { description, examples: [example] };
  const input = boundedText(2_000).refine(isHttpUrlOrEmpty, {
    error: 'must be an absolute http or https URL',
  });
  const pattern = '^([Hh][Tt][Tt][Pp][Ss]?://\\S+)?$';
  return optional('url', input.meta({ ...docs, pattern }), z.string().meta(docs), 'text', '');
}

const isHttpUrlOrEmpty = (value: string) =>
  value === '' || (/^https?:\/\/(?![/\\?#])[^\s\p{Cc}]+$/iu.test(value) && URL.canParse(value));

/** `YYYY`, `YYYY-MM`, `YYYY-MM-DD` or a date-time, kept and returned as given; unset reads null. */
export function partialDate(description: string, example: string) {
  const docs = { description, examples: [example] };
  const input = z.string().max(40).refine(isPartialDate, {
    error: 'must be a valid date: YYYY, YYYY-MM, YYYY-MM-DD or a date-time',
  });
  const pattern = '^\\d{4}(-\\d{2}(-\\d{2}([Tt ].+)?)?)?$';
  return optional(
    'partial_date',
    input.meta({ ...docs, pattern }),
    z.string().nullable().meta(docs),
    'text',
    null,
  );
}

const isPartialDate = (value: string) =>
  /^\d{4}(-(0[1-9]|1[0-2]))?$/.test(value) ||
  z.iso.date().safeParse(value).success ||
  parseDateTime(value) !== null;

/** A moment: RFC 3339, the form of our answers, or over RPC a Date. Unset reads null. */
export function dateTime(description: string) {
  return optional(
    'moment',
    DateTime.describe(description),
    moment(description).nullable(),
    'timestamptz(3)',
    null,
  );
}

export function flag(description: string) {
  const schema = documented(z.boolean(), description, false);
  return optional('flag', schema, schema, 'boolean', false);
}

/** A number of at least 0, with at most two decimals; unset reads null. */
export function money(description: string, example: number) {
  const docs = { description, examples: [example] };
  const input = z.number().min(0).refine(hasCents, { error: 'must have at most two decimals' });
  const sent = input.meta({ ...docs, multipleOf: 0.01 });
  return optional('money', sent, z.number().nullable().meta(docs), 'numeric', null);
}

const hasCents = (value: number) => Number(value.toFixed(2)) === value;

/** A number of at least 0; unset reads null. */
export function quantity(description: string, example: number) {
  const docs = { description, examples: [example] };
  return optional('number', z.number().min(0).meta(docs), z.number().nullable().meta(docs), 'numeric', null);
}

/** A lower-case name in addresses: 1-200 of `a-z 0-9 -` with single, inner hyphens. Unset: made from the title. */
export function slug(example: string, reserved: ReadonlySet<string> = new Set()) {
  const docs = {
    description: 'Slug: name of the record in URLs; derived from the title if omitted',
    examples: [example],
  };
  const input = z
    .string()
    .max(longestSlug)
    .regex(new RegExp(`^$|${slugPattern.source}`), {
      error: `must have 1 to ${longestSlug} characters of a-z, 0-9 and single hyphens between them`,
    })
    .refine((slug) => !reserved.has(slug), { error: 'is reserved: the site uses this path' });
  return labelled(
    'Address',
    optional('slug', input.meta(docs), z.string().meta(docs), 'text', ''),
    'The last part of the URL: lowercase letters, digits and hyphens. If empty, it is made from the title.',
  );
}

export const slugPattern = /^[a-z0-9]+(-[a-z0-9]+)*$/;

const Visibility = z.enum(['public', 'unlisted', 'private']);

type Visibility = z.infer<typeof Visibility>;

const visibilityField = optional<'choice', Visibility, Visibility>(
  'choice',
  documented(Visibility, 'Visibility; reads over the API return only `public` records', 'public'),
  documented(Visibility, 'Visibility; always `public` in reads', 'public'),
  'text',
  'public',
);

/** `unlisted` says what becomes of what is in no list. */
export const visibilityWith = (unlisted: string) =>
  labelled(
    'Visibility',
    {
      ...visibilityField,
      choices: { public: 'Everyone', unlisted, private: 'Only you' } satisfies Record<Visibility, string>,
    },
    'Drafts are visible only to you.',
  );

export const visibility = visibilityWith('Hidden from your site');

export const isDraft = labelled(
  'Draft',
  flag('True if the record is a draft; reads over the API do not return drafts'),
  'Unpublished: visible only to you.',
);

export const sortOrder = (() => {
  const schema = documented(z.int32(), 'Position in manually ordered lists, lowest first', 0);
  const field = optional('integer', schema, schema, 'integer', 0);
  return labelled('Position', field, 'Order among the others: the lowest number comes first.');
})();

/** What most records say last: who finds them, whether they are drafts, and where they stand. */
export const usualFields = { visibility, is_draft: isDraft, sort_order: sortOrder };

function optional<Kind extends FieldKind, In, Out>(
  kind: Kind,
  input: z.ZodType<In, In>,
  output: z.ZodType<Out>,
  column: ColumnType,
  unset: Out,
) {
  return { kind, input, output, column, unset, required: false as const };
}
