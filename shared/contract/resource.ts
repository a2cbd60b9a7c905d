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

/** Texts about a resource in the studio. */
interface ResourceLabels {
  /** Screen that lists the records, if they have no screen of their own. */
  screen?: 'cv';
  /** Name of one record, if the resource's name is unclear: `job`. */
  one?: string;
  /** Text below the title of the list. */
  lead: string;
  /** Text in an empty list: how to begin. */
  begin: string;
}

interface Declaration<F extends Fields> {
  /** Name in the singular, for messages and tool names: `post`. */
  name: string;
  /** Name in the plural, for the table, the REST path and the `collection` of events: `posts`. */
  collection: string;
  /** Description of the records, for the documentation. */
  description: string;
  /** Texts for the studio. */
  labels: ResourceLabels;
  /** True if its writes emit `content.*` events. */
  events?: boolean;
  /** True if only people who work on the site can access the records, neither the API nor assistants. */
  ownersOnly?: boolean;
  /**
   * Collection that its records belong to, and the field with the ID of that record. They are deleted and restored with
   * it.
   */
  partOf?: { collection: string; by: string };
  /** Slugs that are never derived from a title. */
  reservedSlugs?: ReadonlySet<string>;
  fields: F;
}

/** Contracts of a resource. They are generic over the fields, so that each keeps its exact type. */
interface Contracts<F extends Fields> {
  /** Inputs of people who work on the site, with all fields. */
  create: z.ZodType<CreateInput<F>, CreateInput<F>>;
  update: z.ZodType<UpdateInput<F>, UpdateInput<F>>;
  /** Inputs of the API, without the fields that it does not accept. */
  apiCreate: z.ZodType<CreateInput<ApiFields<F>>, CreateInput<ApiFields<F>>>;
  apiUpdate: z.ZodType<UpdateInput<ApiFields<F>>, UpdateInput<ApiFields<F>>>;
  /** Record in reads of the API. */
  read: z.ZodType<RecordOf<F>>;
  /** Record in reads of people who work on the site, with all stored fields. */
  own: z.ZodType<OwnRecordOf<F>>;
}

/** Kind of content. Its table, REST paths, contracts, documentation and tools are all derived from this declaration. */
export interface Resource<F extends Fields = Fields> extends Declaration<F>, Contracts<F> {
  /** Stored values of a record in which no field is set. */
  unset: Readonly<Record<string, unknown>>;
}

type InputOfField<T> = T extends Field<infer I, infer _O, infer _R> ? I : never;
type OutputOfField<T> = T extends Field<infer _I, infer O, infer _R> ? O : never;
type RequiredNames<F> = { [K in keyof F]: F[K] extends { required: true } ? K : never }[keyof F];
type OptionalNames<F> = Exclude<keyof F, RequiredNames<F>>;
type Flat<T> = { [K in keyof T]: T[K] };

/** Input of a create call. Null unsets an optional field. */
type CreateInput<F> = Flat<
  { [K in RequiredNames<F>]: InputOfField<F[K]> } & {
    [K in OptionalNames<F>]?: InputOfField<F[K]> | null | undefined;
  }
>;

/** Input of an update: the record's ID and the fields to change. */
type UpdateInput<F> = Flat<
  { id: string } & { [K in RequiredNames<F>]?: InputOfField<F[K]> | undefined } & {
    [K in OptionalNames<F>]?: InputOfField<F[K]> | null | undefined;
  }
>;

/**
 * Type of a record in reads: `id`, the API's fields without `is_draft`, `created` and `updated`, and the fields
 * requested by `include`.
 */
export type RecordOf<F> = Flat<
  { id: string } & { [K in Exclude<keyof ApiFields<F>, 'is_draft'>]: OutputOfField<F[K]> } & {
    created: Date;
    updated: Date;
  } & (F extends { cover: unknown } ? Included : unknown)
>;

/** Type of a record for people who work on the site, with all stored fields. Drafts are included. */
export type OwnRecordOf<F> = Flat<
  { id: string } & { [K in keyof F]: OutputOfField<F[K]> } & Scheduled<F> & {
      created: Date;
      updated: Date;
      revision: number;
      created_by: string | null;
    }
>;

/**
 * Scheduled publication time of records with drafts. It is not a declared field, because the API neither accepts nor
 * returns it.
 */
type Scheduled<F> = F extends { is_draft: unknown } ? { publish_at: Date | null } : unknown;

/** True if records with these fields can be drafts. */
export const hasDrafts = (fields: Fields): boolean => 'is_draft' in fields;

/** Declares a resource. Its contracts are derived from its fields. */
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
  // The loops lose the relation between contracts and fields; the cast states it.
  return { ...declaration, unset, ...(contracts as unknown as Contracts<F>) };
}

/** Returns the schemas for creating and updating records with these fields. */
function writesOf(fields: Fields) {
  const nullable = ({ input }: Field) => input.nullable().optional();
  const create = mapTable(fields, (field) => (field.required ? field.input : nullable(field)));
  const update = mapTable(fields, (field) => (field.required ? field.input.optional() : nullable(field)));
  return { create: z.strictObject(create), update: z.strictObject({ id: RecordId, ...update }) };
}

/**
 * Returns the field that names a record: the title, or the first required text. Throws an `Error` if there is
 * neither.
 */
export function titleFieldOf({ fields }: { fields: Fields }): string {
  if ('title' in fields) return 'title';
  const named = Object.entries(fields).find(([, { required, kind }]) => required && kind === 'text');
  if (!named)
    throw new Error('the resource needs a field `title` or a required text field, which names its records');
  return named[0];
}
