import type { Field, FieldKind } from '../../../shared/contract/fields.ts';
import type { Resource } from '../../../shared/contract/resource.ts';
import { sharing } from '../../../shared/contract/sharing.ts';
import type { OwnRecord, Values } from './records.ts';

export type NamedField = readonly [name: string, field: Field];

/** Layout of a resource's records, derived from its fields. */
export interface Shape {
  /** Name of the field with the record's title. */
  title: string;
  /** True if records have a page of their own, so that their form centers on the text. */
  isWritten: boolean;
  hasDrafts: boolean;
  /** Fields in the middle of the form, in the contract's order. */
  main: NamedField[];
  /** Fields beside it, images first. */
  side: NamedField[];
  /** Fields for search results and link previews. */
  sharing: NamedField[];
  /** Columns of a list, in addition to the title. */
  columns: NamedField[];
}

/** Fields without an input: the publish button sets them. */
const apart = ['is_draft'];

export function shapeOf({ fields }: Resource): Shape {
  const all = Object.entries(fields);
  const title = titleField(all);
  const isWritten = 'slug' in fields;
  const isShared = ([name, { kind }]: NamedField) => name in sharing && kind !== 'image';
  const others = all.filter((field) => field[0] !== title && !apart.includes(field[0]) && !isShared(field));
  const isMain = ([, { kind }]: NamedField) => (isWritten ? kind === 'markdown' : !settings.includes(kind));
  return {
    title,
    isWritten,
    hasDrafts: 'is_draft' in fields,
    main: others.filter(isMain),
    side: others
      .filter((field) => !isMain(field))
      .toSorted(([, one], [, other]) => Number(other.kind === 'image') - Number(one.kind === 'image')),
    sharing: all.filter(isShared),
    columns: columnsOf(others),
  };
}

/** Kinds of fields that set options instead of content. */
const settings: readonly FieldKind[] = ['choice', 'flag', 'integer', 'slug'];

function titleField(all: NamedField[]): string {
  const named = all.find(([name]) => name === 'title' || name === 'name');
  const required = all.find(([, field]) => field.required);
  return (named ?? required ?? all[0])?.[0] ?? 'id';
}

/** Kinds of fields for columns, most useful first. Times have a column of their own. */
const inColumns: readonly FieldKind[] = ['partial_date', 'money', 'text', 'number'];
const maxColumns = 2;

function columnsOf(fields: NamedField[]): NamedField[] {
  const rank = ([, { kind, required, choices }]: NamedField) =>
    required ? -2 : choices ? -1 : inColumns.indexOf(kind);
  return fields
    .filter(([, { kind }]) => inColumns.includes(kind))
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, maxColumns);
}

/** Returns the names of the fields that are needed to name a record and show its state, so that long texts are not loaded. */
export const namingFields = ({ title, hasDrafts }: Shape) => [
  'id',
  title,
  ...(hasDrafts ? ['is_draft'] : []),
  'updated',
];

/** Returns the word for one record of a resource. */
export const singularOf = ({ name, labels }: Pick<Resource, 'name' | 'labels'>) => labels.one ?? name;

/** Returns the title of a record; empty if it has none. */
export const titleOf = (shape: Shape, record: Values): string => String(record[shape.title] ?? '');

export const isDraft = (record: Pick<OwnRecord, 'is_draft'> | Values): boolean => record.is_draft === true;

/** Returns the scheduled publication time of a draft. Null if it has none, or if the record is not a draft. */
export const scheduledFor = ({ is_draft, publish_at }: Values): Date | null =>
  is_draft === true && publish_at instanceof Date ? publish_at : null;

/** True if a record can be sent as a newsletter: a public post that is published or scheduled. */
export const canBeMailed = (
  { collection }: Pick<Resource, 'collection'>,
  saved: Values | undefined,
): boolean =>
  collection === 'posts' &&
  saved?.visibility === 'public' &&
  (!isDraft(saved) || scheduledFor(saved) !== null);
