import type { Kysely } from 'kysely';
import type { Fields } from '../../../shared/contract/fields.ts';
import type { Actor } from '../../../shared/contract/history.ts';
import type { Resource } from '../../../shared/contract/resource.ts';
import type { ContentRow } from '../../../shared/db/entities/content.ts';
import type { Context, ListPart } from '../../kernel/context.ts';
import type { StoreDeps } from '../../kernel/deps.ts';
import type { IfMatch } from '../../kernel/entity-tag.ts';

/** The records of one resource on one site: what reads and writes work on. */
export interface Collection<F extends Fields = Fields> {
  deps: StoreDeps;
  siteId: string;
  resource: Resource<F>;
  /** How many of its records can be read, when the caller's key lookup has told. */
  publicCount?: number | undefined;
  /** Which of the records of a list are fetched, where they are too large together. */
  listPart?: ListPart | undefined;
}

/** The same as somebody writes to it. */
export interface WrittenCollection<F extends Fields = Fields> extends Collection<F> {
  actor: Actor;
  /** What a record's revision has to be for a change of it; any, when left out. */
  ifMatch?: IfMatch | undefined;
}

/** What a procedure that writes knows of its call. */
export type WriteContext = Pick<Context, 'collection' | 'ifMatch' | 'answer'> & {
  deps: StoreDeps;
  siteId: string;
  actor: Actor;
};

/** The collection of `resource` on the site that the caller's credential belongs to. */
export const collectionOf = <F extends Fields>(
  ctx: Pick<Context, 'collection' | 'listPart'> & { deps: StoreDeps; siteId: string },
  resource: Resource<F>,
): Collection<F> => ({
  deps: ctx.deps,
  siteId: ctx.siteId,
  resource,
  publicCount: ctx.collection?.public_count,
  listPart: ctx.listPart,
});

/** The same for what the caller writes, under the condition of their request. */
export const writtenBy = <F extends Fields>(
  ctx: Omit<WriteContext, 'answer'>,
  resource: Resource<F>,
): WrittenCollection<F> => ({ ...collectionOf(ctx, resource), actor: ctx.actor, ifMatch: ctx.ifMatch });

/** The tables of all resources as one: which it is, and what columns it has, is known when the query is built. */
export type ContentTables = Record<string, ContentRow>;

export const contentTables = ({ deps }: Pick<Collection, 'deps'>): Kysely<ContentTables> =>
  deps.database.em.getKysely();

/** A row of a query whose columns were taken from a resource's fields: it has the types of these fields. */
// The compiler doesn't know the columns of such a query; the strict output contract checks its rows again.
export const typedRow = <Row>(row: unknown) => row as Row;

/** The same of several. */
export const typedRows = <Row>(rows: readonly unknown[]) => rows.map(typedRow<Row>);
