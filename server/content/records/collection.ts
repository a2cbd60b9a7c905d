import type { Kysely, SelectQueryBuilder } from 'kysely';
import { type ApiFields, apiFields, type Fields } from '../../../shared/contract/fields.ts';
import type { Actor } from '../../../shared/contract/history.ts';
import { keysOf } from '../../../shared/contract/names-of.ts';
import { hasDrafts, type Resource } from '../../../shared/contract/resource.ts';
import type { ContentRow } from '../../../shared/db/entities/content.ts';
import type { Context } from '../../api/context.ts';
import type { StoreDeps } from '../../api/deps.ts';

/** Records of one resource on one site, with the parts of a request's context that reading needs. */
export interface Collection<F extends Fields = Fields> extends Pick<Context, 'collectionState' | 'listPart'> {
  deps: StoreDeps;
  siteId: string;
  resource: Resource<F>;
}

/** Collection with the parts of the context that writing needs. */
export interface WrittenCollection<F extends Fields = Fields>
  extends Collection<F>,
    Pick<Context, 'ifMatch' | 'answer' | 'onlyOwn'> {
  actor: Actor;
}

/** Tables of all resources as one type. The table and its columns are known only when a query is built. */
export type ContentTables = Record<string, ContentRow>;

/** Query of records, whose columns are not selected yet. */
export type ContentQuery = SelectQueryBuilder<ContentTables, string, object>;

export const contentTables = ({ deps }: Pick<Collection, 'deps'>): Kysely<ContentTables> =>
  deps.database.em.getKysely();

/** Types a row of a query whose columns come from a resource's fields. */
// The compiler does not know columns that come from fields. The strict output contract checks the rows.
export const typedRow = <Row>(row: unknown) => row as Row;

export const typedRows = <Row>(rows: readonly unknown[]) => rows.map(typedRow<Row>);

type Scheduled<F> = F extends { is_draft: unknown } ? 'publish_at' : never;

type NameOf<F> = (keyof F & string) | 'id' | 'created' | 'updated' | 'revision' | 'created_by' | Scheduled<F>;

/** Returns the names of the columns of a record that its owner sees. */
export const ownNames = <F extends Fields>(fields: F): NameOf<F>[] => {
  const scheduled = (['publish_at'] as const).filter((_name): _name is Scheduled<F> => hasDrafts(fields));
  return ['id', ...keysOf(fields), ...scheduled, 'created', 'updated', 'revision', 'created_by'];
};

/** Returns the names of the columns that readers see by default: without draft state, schedule, revision and author. */
export const readableNames = <F extends Fields>(fields: F) =>
  ownNames(apiFields(fields)).filter(
    (name): name is Exclude<NameOf<ApiFields<F>>, (typeof ownersAlone)[number]> =>
      !ownersAlone.some((own) => own === name),
  );

const ownersAlone = ['is_draft', 'publish_at', 'revision', 'created_by'] as const;
