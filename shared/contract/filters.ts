import { z } from 'zod';
import { documented } from './documented.ts';
import { comparableEmail } from './email.ts';
import { comparedText, type Field, type FieldKind, longestLine } from './fields.ts';
import { listParameter } from './list-parameter.ts';
import { DateTime, toDate } from './moments.ts';

/** What lists can ask of a field, by its kind; of a kind that is not here, nothing. */
const questions = {
  text: ['any'],
  email: ['any'],
  choice: ['any'],
  list: ['any'],
  flag: ['is'],
  moment: ['from', 'before'],
  partial_date: ['from', 'before'],
  integer: ['min', 'max'],
  number: ['min', 'max'],
  money: ['min', 'max'],
} as const satisfies { [K in FieldKind]?: readonly Question[] };

/** One of these values; this one; at or after it; before it; at least as much; at most. */
type Question = 'any' | 'is' | 'from' | 'before' | 'min' | 'max';

type Filterable = Pick<Field, 'kind' | 'input' | 'ownersOnly'>;

/** What lists can be filtered by: fields by their names. */
export type FilterableFields = Readonly<Record<string, Filterable>>;

/** A parameter of a list that leaves out records. */
export interface FieldFilter {
  /** As it is given: `status`, `price_min`. */
  parameter: string;
  field: string;
  kind: FieldKind;
  question: Question;
  /** What the field itself accepts. */
  input: Filterable['input'];
}

/** Kept with each record besides its fields. */
const kept = {
  created: { kind: 'moment', input: DateTime },
  updated: { kind: 'moment', input: DateTime },
} as const satisfies FilterableFields;

/**
 * Every filter of a list of records with these fields, which follow from their kinds: a new field has its filter in
 * queries, RPC, documents and tools by being declared. A title is what records are found by with words, so it has none.
 */
export function filtersOf(fields: FilterableFields): FieldFilter[] {
  const { title: _, ...others } = fields;
  const known: Readonly<Record<string, readonly Question[]>> = questions;
  const all: [string, Filterable][] = Object.entries({ ...others, ...kept });
  return all.flatMap(([field, { kind, input, ownersOnly }]) =>
    (ownersOnly ? [] : (known[kind] ?? [])).map((question) => ({
      parameter: question === 'any' || question === 'is' ? field : `${field}_${question}`,
      field,
      kind,
      question,
      input,
    })),
  );
}

/** What its owner can filter a list by: the moment at which drafts are published, too. */
// Which of both it is follows from the fields, as the type says.
export const ownFilterable = <F extends FilterableFields>(fields: F) =>
  ('is_draft' in fields ? { ...fields, ...scheduled } : fields) as F & Scheduled<F>;

const scheduled = { publish_at: { kind: 'moment', input: DateTime } } as const satisfies FilterableFields;

type Scheduled<F> = F extends { is_draft: unknown } ? typeof scheduled : unknown;

/** The filters as a part of a list's contract. */
export const filterShape = (fields: FilterableFields): Record<string, z.ZodType> =>
  Object.fromEntries(
    filtersOf(fields).map(({ parameter, field, question, ...about }) => [
      parameter,
      schemas[question](field, about).optional(),
    ]),
  );

type SchemaOf = (field: string, about: Filterable) => z.ZodType;

/** Values are read as queries write them, as text, and as RPC and tools give them. */
const schemas: Record<Question, SchemaOf> = {
  any: (field, about) =>
    listParameter(
      oneOf(about),
      exampleOf(about),
      `Only records whose \`${field}\` ${about.kind === 'list' ? 'contains' : 'is'} one of these values`,
    )
      // In one order, so that the same question has one answer to keep.
      .transform((values) => [...new Set(values)].toSorted()),
  is: (field) =>
    z.preprocess(
      (value) => words.get(value) ?? value,
      documented(z.boolean(), `Only records with this value of \`${field}\``, true),
    ),
  from: (field, about) => pointOf(about, `Earliest \`${field}\`, inclusive`),
  before: (field, about) => pointOf(about, `Latest \`${field}\`, exclusive`),
  min: (field, about) => numberOf(about, `Minimum value of \`${field}\``),
  max: (field, about) => numberOf(about, `Maximum value of \`${field}\``),
};

const words = new Map<unknown, boolean>([
  ['true', true],
  ['false', false],
]);

function oneOf({ kind, input }: Filterable): z.ZodType<string, string> {
  if (kind === 'choice' && input instanceof z.ZodEnum) return z.enum(input.options.map(String));
  const text = comparedText(longestLine).min(1);
  return kind === 'email' ? text.overwrite(comparableEmail) : text;
}

/** A moment, or a date that may be partial and stands for its beginning. */
const pointOf = ({ kind, input }: Filterable, description: string) =>
  kind === 'moment' ? DateTime.transform(toDate).describe(description) : input.describe(description);

const numberOf = (about: Filterable, description: string) =>
  z.preprocess(readNumber, documented(z.number(), description, Number(exampleOf(about)) || 0));

const readNumber = (value: unknown) =>
  typeof value === 'string' && /^-?\d{1,15}(\.\d{1,15})?$/.test(value) ? Number(value) : value;

const Examples = z.array(z.unknown()).catch([]);

/** What the field's documentation shows, or the first part of it, without a comma. */
function exampleOf({ input }: Filterable): string {
  const [example] = Examples.parse(input.meta()?.examples);
  return String([example].flat()[0] ?? '').split(',')[0] ?? '';
}

type Questions = typeof questions;
type KindOf<F> = F extends { ownersOnly: true }
  ? never
  : F extends { kind: infer K extends keyof Questions }
    ? K
    : never;
type Parameter<Name extends string, Q> = Q extends 'any' | 'is' ? Name : `${Name}_${Q & string}`;
type InputOf<F> = F extends { input: z.ZodType<unknown, infer In> } ? In : never;

interface ValuesByKind<In> {
  text: string[];
  email: string[];
  choice: In[];
  list: string[];
  flag: boolean;
  moment: string | Date;
  partial_date: string;
  integer: number;
  number: number;
  money: number;
}

type FiltersIn<F> = {
  [N in keyof F & string as Parameter<N, Questions[KindOf<F[N]>][number]>]?:
    | ValuesByKind<InputOf<F[N]>>[KindOf<F[N]>]
    | undefined;
};

/** What `filterShape` takes, as RPC gives it. */
export type FilterInput<F> = FiltersIn<Omit<F, 'title'> & typeof kept>;
