import { z } from 'zod';
import { titled } from './documented.ts';
import { created, publishAt, updated } from './envelopes.ts';
import {
  type ApiFields,
  apiFields,
  type Field,
  type Fields,
  type LabelledFields,
  outputs,
  unsetValues,
} from './fields.ts';
import { createdBy, RevisionNumber } from './history.ts';
import { mapTable, typeName } from './names-of.ts';
import { RecordId } from './record-id.ts';
import { type Included, included } from './sharing.ts';

/** What the studio says of a kind of content. */
interface ResourceWords {
  /** The screen on which its owner finds them, in place of one of their own. */
  screen?: 'cv';
  /** What one of them is called, where the name tells too little: `job`. */
  one?: string;
  /** What stands below the title of their list. */
  lead: string;
  /** What stands in the list while there are none: how to begin. */
  begin: string;
}

interface Declaration<F extends Fields> {
  /** Singular, for texts and tool names: `post`. */
  name: string;
  /** Plural: the table, the REST path segment and the `collection` of events: `posts`. */
  collection: string;
  /** What its records are, for the documentation. */
  description: string;
  /** The same for their owner. */
  words: ResourceWords;
  /** Whether its writes fire `content.*`. */
  events?: boolean;
  /** Whether it is reached by its owner alone, never over the API or by assistants. */
  ownersOnly?: boolean;
  /** What its records are parts of, and the field that says of which: they are deleted and restored with it. */
  partOf?: { collection: string; by: string };
  /** Slugs that a title does not become. */
  reservedSlugs?: ReadonlySet<string>;
  fields: F;
}

/** Generic over the record of fields, so that every contract keeps its exact type. */
interface Contracts<F extends Fields> {
  /** What its owner sends. */
  create: z.ZodType<CreateInput<F>, CreateInput<F>>;
  update: z.ZodType<UpdateInput<F>, UpdateInput<F>>;
  /** What the API takes. */
  apiCreate: z.ZodType<CreateInput<ApiFields<F>>, CreateInput<ApiFields<F>>>;
  apiUpdate: z.ZodType<UpdateInput<ApiFields<F>>, UpdateInput<ApiFields<F>>>;
  /** What readers get. */
  read: z.ZodType<RecordOf<F>>;
  /** What its owner gets. */
  own: z.ZodType<OwnRecordOf<F>>;
}

/** A kind of content, declared once: its table, REST paths, contracts, documentation and tools all come from here. */
export interface Resource<F extends Fields = Fields> extends Declaration<F>, Contracts<F> {
  /** What a record holds that nobody set. */
  unset: Readonly<Record<string, unknown>>;
}

type In<T> = T extends Field<infer I, infer _O, infer _R> ? I : never;
type Out<T> = T extends Field<infer _I, infer O, infer _R> ? O : never;
type RequiredNames<F> = { [K in keyof F]: F[K] extends { required: true } ? K : never }[keyof F];
type OptionalNames<F> = Exclude<keyof F, RequiredNames<F>>;
type Flat<T> = { [K in keyof T]: T[K] };

/** A create body. Null on an optional field means unset. */
type CreateInput<F> = Flat<
  { [K in RequiredNames<F>]: In<F[K]> } & { [K in OptionalNames<F>]?: In<F[K]> | null | undefined }
>;

/** An update: the record's id and the fields to change. */
type UpdateInput<F> = Flat<
  { id: string } & { [K in RequiredNames<F>]?: In<F[K]> | undefined } & {
    [K in OptionalNames<F>]?: In<F[K]> | null | undefined;
  }
>;

/** The read shape: `id`, the API's fields without `is_draft`, `created` and `updated`, and what was asked for besides. */
export type RecordOf<F> = Flat<
  { id: string } & { [K in Exclude<keyof ApiFields<F>, 'is_draft'>]: Out<F[K]> } & {
    created: Date;
    updated: Date;
  } & (F extends { cover: unknown } ? Included : unknown)
>;

/** Every stored field of a record, drafts included: what its owner sees. */
export type OwnRecordOf<F> = Flat<
  { id: string } & { [K in keyof F]: Out<F[K]> } & Scheduled<F> & {
      created: Date;
      updated: Date;
      revision: number;
      created_by: string | null;
    }
>;

/** What can be a draft can be published at a moment. No field says which: only its owner sets and sees it. */
type Scheduled<F> = F extends { is_draft: unknown } ? { publish_at: Date | null } : unknown;

/** Whether records with these fields can be drafts. */
export const hasDrafts = (fields: Fields): boolean => 'is_draft' in fields;

export function defineResource<
  const F extends LabelledFields,
  const D extends Omit<Declaration<F>, 'fields'>,
>(declaration: D & { fields: F }): Resource<F> & Omit<D, 'fields'> {
  const own = outputs<Fields>(declaration.fields);
  const api: Fields = apiFields<Fields>(declaration.fields);
  const { is_draft: _, ...readable } = outputs<Fields>(api);
  const title = typeName(declaration.name);
  const contracts = {
    ...writesOf(declaration.fields),
    apiCreate: writesOf(api).create.meta({ title: `Create${title}` }),
    apiUpdate: writesOf(api).update.meta({ title: `Update${title}` }),
    read: titled(title, {
      id: RecordId,
      ...readable,
      created,
      updated,
      ...('cover' in declaration.fields && included),
    }),
    own: z.strictObject({
      id: RecordId,
      ...own,
      ...(hasDrafts(declaration.fields) && { publish_at: publishAt }),
      created,
      updated,
      revision: RevisionNumber,
      created_by: createdBy,
    }),
  };
  const unset = {
    ...unsetValues(declaration.fields),
    ...(hasDrafts(declaration.fields) && { publish_at: null }),
  };
  // The loops over the fields lose which contract belongs to which; the type states what they made.
  return { ...declaration, unset, ...(contracts as unknown as Contracts<F>) };
}

/** What a new record and a change may say of these fields. */
function writesOf(fields: Fields) {
  const nullable = ({ input }: Field) => input.nullable().optional();
  const create = mapTable(fields, (field) => (field.required ? field.input : nullable(field)));
  const update = mapTable(fields, (field) => (field.required ? field.input.optional() : nullable(field)));
  return { create: z.strictObject(create), update: z.strictObject({ id: RecordId, ...update }) };
}

/** The field that says what a record is called: its title, else the first text that it can't be without. */
export function titleFieldOf({ fields }: { fields: Fields }): string {
  if ('title' in fields) return 'title';
  const named = Object.entries(fields).find(([, { required, kind }]) => required && kind === 'text');
  if (!named)
    throw new Error('the resource needs a field `title` or a required text field, which names its records');
  return named[0];
}
