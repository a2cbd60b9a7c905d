import type { Kysely, SelectQueryBuilder } from 'kysely';
import { type ApiFields, apiFields, type Fields } from '../../../shared/contract/fields.ts';
import type { Actor } from '../../../shared/contract/history.ts';
import { keysOf } from '../../../shared/contract/names-of.ts';
import { hasDrafts, type Resource } from '../../../shared/contract/resource.ts';
import type { ContentRow } from '../../../shared/db/entities/content.ts';
import type { Context } from '../../api/context.ts';
import type { StoreDeps } from '../../api/deps.ts';

/** The records of one resource on one site: what a procedure knows of its call, with the resource. */
export interface Collection<F extends Fields = Fields> extends Pick<Context, 'collectionState' | 'listPart'> {
  deps: StoreDeps;
  siteId: string;
  resource: Resource<F>;
}

/** The same as somebody writes to it. */
export interface WrittenCollection<F extends Fields = Fields>
  extends Collection<F>,
    Pick<Context, 'ifMatch' | 'answer' | 'onlyOwn'> {
  actor: Actor;
}

/** The tables of all resources as one: which it is, and what columns it has, is known when the query is built. */
export type ContentTables = Record<string, ContentRow>;

/** A query of records, whose columns are yet to be selected. */
export type ContentQuery = SelectQueryBuilder<ContentTables, string, object>;

export const contentTables = ({ deps }: Pick<Collection, 'deps'>): Kysely<ContentTables> =>
  deps.database.em.getKysely();

/** A row of a query whose columns were taken from a resource's fields: it has the types of these fields. */
// The compiler doesn't know the columns of such a query; the strict output contract checks its rows again.
export const typedRow = <Row>(row: unknown) => row as Row;

export const typedRows = <Row>(rows: readonly unknown[]) => rows.map(typedRow<Row>);

type Scheduled<F> = F extends { is_draft: unknown } ? 'publish_at' : never;

type NameOf<F> = (keyof F & string) | 'id' | 'created' | 'updated' | 'revision' | 'created_by' | Scheduled<F>;

/** The names of what its owner sees of a record, which are its columns. */
export const ownNames = <F extends Fields>(fields: F): NameOf<F>[] => {
  const scheduled = (['publish_at'] as const).filter((_name): _name is Scheduled<F> => hasDrafts(fields));
  return ['id', ...keysOf(fields), ...scheduled, 'created', 'updated', 'revision', 'created_by'];
};

/** Those of what readers see unasked: never whether it is a draft and until when, how often it was written, and by whom. */
export const readableNames = <F extends Fields>(fields: F) =>
  ownNames(apiFields(fields)).filter(
    (name): name is Exclude<NameOf<ApiFields<F>>, (typeof ownersAlone)[number]> =>
      !ownersAlone.some((own) => own === name),
  );

const ownersAlone = ['is_draft', 'publish_at', 'revision', 'created_by'] as const;
