import { z } from 'zod';
import { documented } from './documented.ts';
import { emailPattern, maxEmailLength, storeEmail } from './email.ts';
import { maxSlugLength } from './limits.ts';
import { mapTable } from './names-of.ts';
import { recordIdPattern } from './record-id.ts';
import { DateTime, parseDateTime, timestamp } from './timestamps.ts';

/** PostgreSQL types of columns for fields. */
export type ColumnType = 'text' | 'text[]' | 'integer' | 'numeric' | 'boolean' | 'timestamptz(3)';

/** Kind of a field's value. Forms choose their inputs by it, lists their columns and filters. */
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
 * Field of a resource: the schemas of its input and output, its column, its presentation, and its unset value. `unset`
 * is the value in reads if it was never set, or was set to null.
 */
export interface Field<In = unknown, Out = unknown, Required extends boolean = boolean> {
  kind: FieldKind;
  /** Labels by value, for the values of a choice or the usual values of a text. */
  choices?: Readonly<Record<string, string>> | undefined;
  input: z.ZodType<In, In>;
  output: z.ZodType<Out>;
  column: ColumnType;
  unset: Out;
  required: Required;
  /**
   * True if only the studio and imports write it. The API does not accept it, and returns it only if requested by
   * `include`.
   */
  ownersOnly?: true;
  /** Label in the studio. */
  label?: string;
  /** Help text in the studio; empty or missing if none is needed. */
  help?: string;
}

export type Fields = Record<string, Field>;

interface Label {
  label: string;
  help: string;
}

/** Fields with labels for the studio. The descriptions in the contract are for programmers. */
export type LabelledFields = Record<string, Field & Label>;

export const labelled = <F extends Field>(label: string, field: F, help = ''): F & Label => ({
  ...field,
  label,
  help,
});

/** Returns the output schemas of fields, by name. */
export const outputs = <F extends Fields>(fields: F): { [K in keyof F]: F[K]['output'] } =>
  mapTable(fields, ({ output }) => output);

/** Returns the schemas of an update of fields, by name. All are optional, and null unsets a field. */
export function optionalInputs<F extends Fields>(
  fields: F,
): { [K in keyof F]: z.ZodOptional<z.ZodNullable<F[K]['input']>> } {
  return mapTable(fields, ({ input }) => z.optional(z.nullable(input)));
}

/** Returns the values of a record in which no field is set. */
export const unsetValues = <F extends Fields>(fields: F): { [K in keyof F]: F[K]['unset'] } =>
  mapTable(fields, ({ unset }) => unset);

/** True if PostgreSQL can store a text: it has no NUL character and no lone half of a surrogate pair. */
export const storableText = (text: string) => !text.includes('\0') && text.isWellFormed();

/** Returns a text without NUL characters, and with U+FFFD instead of each lone half of a surrogate pair. */
export const storableTextOf = (text: string) => text.replaceAll('\0', '').toWellFormed();

/**
 * Returns the schema of a text that is stored unchanged, with at most `max` UTF-16 units. Text that PostgreSQL cannot
 * store is refused.
 */
export const boundedText = (max: number) => bounded(z.string(), max);

/**
 * Returns the schema of a text that is compared, such as a tag. It is converted to NFC, because programs encode the same letter
 * in several ways. The result has at most `max` UTF-16 units; text that PostgreSQL cannot store is refused.
 */
export const comparedText = (max: number) => bounded(z.string().normalize('NFC'), max);

const bounded = (text: z.ZodString, max: number) =>
  text
    .max(max, { abort: true })
    // Zod and JSON Schema count code points, some of which have two UTF-16 units.
    .refine((text) => text.length <= max, {
      error: `must have at most ${max} characters, counted in UTF-16 units`,
    })
    .refine(storableText, { error: 'must not contain a NUL character or half of a surrogate pair' });

const address = { description: 'Email address', examples: ['grace@example.com'] };

/** Email address. Its value is the stored form: lower case, with the domain as A-labels. */
export const Email = boundedText(maxEmailLength)
  .check(storeEmail)
  .meta({ ...address, format: 'email', pattern: emailPattern });

/** Email address in its stored form, or `""` for none. */
export const EmailOrEmpty = boundedText(maxEmailLength)
  .check((payload) => {
    if (payload.value !== '') storeEmail(payload);
  })
  .meta({ ...address, pattern: `^$|${emailPattern}` });

interface TextOptions {
  /** Value in reads if the field is not set; `""` if omitted. */
  unset?: string;
  /** Usual values with their labels. Other values are accepted too. */
  choices?: Readonly<Record<string, string>>;
}

/** Maximum length of a text that fits on one line of a form, in UTF-16 units. */
export const maxLineLength = 500;

/**
 * Declares an optional text of one line, in NFC, with at most `max` UTF-16 units. `""` and null unset it; reads then return
 * `options.unset`, by default `""`. Throws an `Error` if `max` exceeds `maxLineLength`.
 */
export function text(max: number, description: string, example: string, options: TextOptions = {}) {
  if (max > maxLineLength) throw new Error(`${description}: text of ${max} characters is a paragraph`);
  const { unset = '', choices } = options;
  const usual = choices ? `; usual values: ${Object.keys(choices).join(', ')}` : '';
  const docs = { description: `${description}${usual}`, examples: [example] };
  return {
    ...optional('text', comparedText(max).meta(docs), z.string().meta(docs), 'text', unset),
    choices,
  };
}

/** Declares an optional text of several lines, with at most `max` UTF-16 units. `""` and null unset it; reads then return `""`. */
export function paragraph(max: number, description: string, example: string) {
  const docs = { description, examples: [example] };
  return optional('paragraph', boundedText(max).meta(docs), z.string().meta(docs), 'text', '');
}

/** Declares an optional text in Markdown or HTML, with at most `max` UTF-16 units. `""` and null unset it; reads then return `""`. */
export const markdown = (max: number, description: string, example: string) => ({
  ...paragraph(max, `${description}, in Markdown or HTML`, example),
  kind: 'markdown' as const,
});

/**
 * Declares a required text of one line, with 1 to `max` UTF-16 units. `read` returns the schema of its
 * input; by default the text is stored as it was sent.
 */
export function requiredText(max: number, description: string, example: string, read = boundedText) {
  const docs = { description, examples: [example] };
  const field = optional('text', read(max).min(1).meta(docs), z.string().meta(docs), 'text', '');
  return { ...field, required: true as const };
}

/** Declares a required text of one line in NFC, with 1 to `max` UTF-16 units. Lists can be filtered by it. */
export const requiredName = (max: number, description: string, example: string) =>
  requiredText(max, description, example, comparedText);

/** Declares the required ID of another record of the site, which must exist. */
export function reference(to: string) {
  const schema = documented(
    z.string().regex(recordIdPattern, { error: `must be the id of a ${to}` }),
    `ID of the ${to}`,
    'mb3k9x2a7f0q1zd',
  );
  return { ...optional('reference', schema, schema, 'text', ''), required: true as const };
}

/** Declares the optional ID of an image of the site; `""` for none. */
export function image(description: string) {
  const docs = { description, examples: [''] };
  const input = z
    .string()
    .regex(new RegExp(`^$|${recordIdPattern.source}`), { error: 'must be the id of an image' });
  return optional('image', input.meta(docs), z.string().meta(docs), 'text', '');
}

export const ownersOnly = <F extends Field>(field: F) => ({ ...field, ownersOnly: true as const });

type OwnersOnly = { ownersOnly: true };

/** Type of the fields that the API accepts. */
export type ApiFields<F> = { [K in keyof F as F[K] extends OwnersOnly ? never : K]: F[K] };

/** Returns the fields without those that only owners see. The type states the names, which `Object.fromEntries` loses. */
export const apiFields = <F extends Fields>(fields: F) =>
  Object.fromEntries(Object.entries(fields).filter(([, { ownersOnly }]) => !ownersOnly)) as ApiFields<F>;

/**
 * Declares a list of at most 100 texts in NFC, each with at most 200 UTF-16 units. A text that differs from an
 * earlier one only in its encoding is left out; exact repetitions stay. The list is empty if unset.
 */
export function list(description: string, example: string[]) {
  const docs = { description, examples: [example] };
  const value = boundedText(maxValueLength).refine((text) => text.normalize().length <= maxValueLength, {
    error: `must have at most ${maxValueLength} characters in Unicode NFC`,
  });
  const input = z.array(value).max(100).overwrite(inOneForm).meta(docs);
  return optional<'list', string[], string[]>('list', input, z.array(z.string()).meta(docs), 'text[]', []);
}

const maxValueLength = 200;

/** Converts texts to NFC. Of texts that are equal only in NFC, those written like the first stay; others are removed. */
function inOneForm(values: readonly string[]): string[] {
  const sent = new Map<string, string>();
  return values.flatMap((value) => {
    const form = value.normalize();
    if (!sent.has(form)) sent.set(form, value);
    return sent.get(form) === value ? [form] : [];
  });
}

/** Declares an optional absolute http or https URL with at most 2,000 UTF-16 units. `""` and null unset it; reads then return `""`. */
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

/** Declares a date as `YYYY`, `YYYY-MM`, `YYYY-MM-DD` or a date-time, stored as it was sent. It is null if unset. */
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

/**
 * Declares a timestamp, which is null if unset. Input is RFC 3339, the form of the service's answers, or a `Date`
 * over RPC.
 */
export function dateTime(description: string) {
  return optional(
    'moment',
    DateTime.describe(description),
    timestamp(description).nullable(),
    'timestamptz(3)',
    null,
  );
}

/** Declares a boolean, which is false if unset. */
export function flag(description: string) {
  const schema = documented(z.boolean(), description, false);
  return optional('flag', schema, schema, 'boolean', false);
}

/** Declares an amount of at least 0, with at most two decimals. It is null if unset. */
export function money(description: string, example: number) {
  const docs = { description, examples: [example] };
  const input = z.number().min(0).refine(hasCents, { error: 'must have at most two decimals' });
  const sent = input.meta({ ...docs, multipleOf: 0.01 });
  return optional('money', sent, z.number().nullable().meta(docs), 'numeric', null);
}

const hasCents = (value: number) => Number(value.toFixed(2)) === value;

/** Declares a number of at least 0. It is null if unset. */
export function quantity(description: string, example: number) {
  const docs = { description, examples: [example] };
  return optional('number', z.number().min(0).meta(docs), z.number().nullable().meta(docs), 'numeric', null);
}

/**
 * Declares a slug: 1 to 200 of `a-z 0-9 -`, with single hyphens inside. Slugs in `reserved` are refused. If unset,
 * the slug is derived from the title.
 */
export function slug(example: string, reserved: ReadonlySet<string> = new Set()) {
  const docs = {
    description: 'Slug: name of the record in URLs; derived from the title if omitted',
    examples: [example],
  };
  const input = z
    .string()
    .max(maxSlugLength)
    .regex(new RegExp(`^$|${slugPattern.source}`), {
      error: `must have 1 to ${maxSlugLength} characters of a-z, 0-9 and single hyphens between them`,
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

/**
 * Declares the visibility of a record; `public` if unset. `unlisted` is the label of the choice that hides a record
 * from lists.
 */
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

/** Position in manually ordered lists, an integer of 32 bits; 0 if unset. The lowest comes first. */
export const sortOrder = (() => {
  const schema = documented(z.int32(), 'Position in manually ordered lists, lowest first', 0);
  const field = optional('integer', schema, schema, 'integer', 0);
  return labelled('Position', field, 'Order among the others: the lowest number comes first.');
})();

export const usualFields = { visibility, is_draft: isDraft, sort_order: sortOrder };

export function optional<Kind extends FieldKind, In, Out>(
  kind: Kind,
  input: z.ZodType<In, In>,
  output: z.ZodType<Out>,
  column: ColumnType,
  unset: Out,
) {
  return { kind, input, output, column, unset, required: false as const };
}
