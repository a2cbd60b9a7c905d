import type { Field, FieldKind } from '../../../shared/contract/fields.ts';
import type { Resource } from '../../../shared/contract/resource.ts';
import { sharing } from '../../../shared/contract/sharing.ts';
import type { OwnRecord, Values } from './records.ts';

export type NamedField = readonly [name: string, field: Field];

/** What a resource's fields say about how its records are shown. All of it is read from the contract. */
export interface Shape {
  /** The field that a record is called by. */
  title: string;
  /** Whether its records have an address of their own, so that writing is what their form is for. */
  isWritten: boolean;
  hasDrafts: boolean;
  /** In the middle of the form, in the contract's order. */
  main: NamedField[];
  /** Beside it, pictures first. */
  side: NamedField[];
  /** What search engines are told, and those who see it shared. */
  sharing: NamedField[];
  /** What a list shows besides the title. */
  columns: NamedField[];
}

/** Fields with a place of their own: the publish button and the title. */
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

/** Kinds that say how a record is treated rather than what it is about. */
const settings: readonly FieldKind[] = ['choice', 'flag', 'integer', 'slug'];

function titleField(all: NamedField[]): string {
  const named = all.find(([name]) => name === 'title' || name === 'name');
  const required = all.find(([, field]) => field.required);
  return (named ?? required ?? all[0])?.[0] ?? 'id';
}

/** Kinds that read well in a narrow column, the most telling first. Moments have one of their own. */
const inColumns: readonly FieldKind[] = ['partial_date', 'money', 'text', 'number'];
const mostColumns = 2;

function columnsOf(fields: NamedField[]): NamedField[] {
  const rank = ([, { kind, required, choices }]: NamedField) =>
    required ? -2 : choices ? -1 : inColumns.indexOf(kind);
  return fields
    .filter(([, { kind }]) => inColumns.includes(kind))
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, mostColumns);
}

/** The fields that are enough to name a record and to say how it stands: long texts stay where they are. */
export const namingFields = ({ title, hasDrafts }: Shape) => [
  'id',
  title,
  ...(hasDrafts ? ['is_draft'] : []),
  'updated',
];

/** What one of its records is called. */
export const singularOf = ({ name, words }: Pick<Resource, 'name' | 'words'>) => words.one ?? name;

/** What a record is called; empty while it has no name. */
export const titleOf = (shape: Shape, record: Values): string => String(record[shape.title] ?? '');

export const isDraft = (record: Pick<OwnRecord, 'is_draft'> | Values): boolean => record.is_draft === true;

/** When a draft will be published; null when it has no such moment. */
export const scheduledFor = ({ is_draft, publish_at }: Values): Date | null =>
  is_draft === true && publish_at instanceof Date ? publish_at : null;

/** Whether a record can go out as a newsletter: a post that readers can see, or will. */
export const canBeMailed = (
  { collection }: Pick<Resource, 'collection'>,
  saved: Values | undefined,
): boolean =>
  collection === 'posts' &&
  saved?.visibility === 'public' &&
  (!isDraft(saved) || scheduledFor(saved) !== null);
