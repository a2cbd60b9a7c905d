import { z } from 'zod';
import { documented } from './documented.ts';
import { comparableEmail } from './email.ts';
import { comparedText, type Field, type FieldKind, maxLineLength } from './fields.ts';
import { listParameter } from './list-parameter.ts';
import { DateTime, toDate } from './timestamps.ts';

/** Comparisons that lists offer for a field, by its kind. Kinds that are missing here have no filter. */
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

/** Comparison of a filter: any of these values, exactly this value, at or after, before, at least, at most. */
type Question = 'any' | 'is' | 'from' | 'before' | 'min' | 'max';

type Filterable = Pick<Field, 'kind' | 'input' | 'ownersOnly'>;

/** Fields that lists can be filtered by, by name. */
export type FilterableFields = Readonly<Record<string, Filterable>>;

/** Query parameter that filters a list. */
export interface FieldFilter {
  /** Name in the query: `status`, `price_min`. */
  parameter: string;
  field: string;
  kind: FieldKind;
  question: Question;
  /** Input schema of the field. */
  input: Filterable['input'];
}

/** Fields that every record has in addition to those of its resource. */
const kept = {
  created: { kind: 'moment', input: DateTime },
  updated: { kind: 'moment', input: DateTime },
} as const satisfies FilterableFields;

/**
 * Returns the filters of a list of records with these fields. They follow from the kinds of the fields, so declaring a
 * field adds its filter to queries, RPC, documentation and tools. The title has none, because `q` searches it.
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

/**
 * Returns the fields by which owners can filter: also by `publish_at` if records can be drafts. That depends on the fields,
 * which only the type can state.
 */
export const ownFilterable = <F extends FilterableFields>(fields: F) =>
  ('is_draft' in fields ? { ...fields, ...scheduled } : fields) as F & Scheduled<F>;

const scheduled = { publish_at: { kind: 'moment', input: DateTime } } as const satisfies FilterableFields;

type Scheduled<F> = F extends { is_draft: unknown } ? typeof scheduled : unknown;

/** Returns the schemas of the filters for a list's contract, by parameter. */
export const filterShape = (fields: FilterableFields): Record<string, z.ZodType> =>
  Object.fromEntries(
    filtersOf(fields).map(({ parameter, field, question, ...about }) => [
      parameter,
      schemas[question](field, about).optional(),
    ]),
  );

type SchemaOf = (field: string, about: Filterable) => z.ZodType;

/** Schemas by comparison. They accept text, as in query strings, and the types of RPC and tools. */
const schemas: Record<Question, SchemaOf> = {
  any: (field, about) =>
    listParameter(
      oneOf(about),
      exampleOf(about),
      `Only records whose \`${field}\` ${about.kind === 'list' ? 'contains' : 'is'} one of these values`,
    )
      // Sorted, so that equal queries have the same cached answer.
      .transform((values) => [...new Set(values)].toSorted()),
  is: (field) => flagQuery(`Only records with this value of \`${field}\``),
  from: (field, about) => pointOf(about, `Earliest \`${field}\`, inclusive`),
  before: (field, about) => pointOf(about, `Latest \`${field}\`, exclusive`),
  min: (field, about) => numberOf(about, `Minimum value of \`${field}\``),
  max: (field, about) => numberOf(about, `Maximum value of \`${field}\``),
};

/** Returns the schema of true or false: text in a query string, a boolean over RPC. */
export const flagQuery = (description: string) =>
  z.preprocess((value) => words.get(value) ?? value, documented(z.boolean(), description, true)).optional();

const words = new Map<unknown, boolean>([
  ['true', true],
  ['false', false],
]);

function oneOf({ kind, input }: Filterable): z.ZodType<string, string> {
  if (kind === 'choice' && input instanceof z.ZodEnum) return z.enum(input.options.map(String));
  const text = comparedText(maxLineLength).min(1);
  return kind === 'email' ? text.overwrite(comparableEmail) : text;
}

/** Timestamp, or a date that may be partial and means its beginning. */
const pointOf = ({ kind, input }: Filterable, description: string) =>
  kind === 'moment' ? DateTime.transform(toDate).describe(description) : input.describe(description);

const numberOf = (about: Filterable, description: string) =>
  z.preprocess(readNumber, documented(z.number(), description, Number(exampleOf(about)) || 0));

const readNumber = (value: unknown) =>
  typeof value === 'string' && /^-?\d{1,15}(\.\d{1,15})?$/.test(value) ? Number(value) : value;

const Examples = z.array(z.unknown()).catch([]);

/** Returns the first example of the field's documentation, up to the first comma. */
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

/** Input of `filterShape` over RPC. */
export type FilterInput<F> = FiltersIn<Omit<F, 'title'> & typeof kept>;
