import { z } from 'zod';
import { Created, Deleted, Updated } from '../../../shared/contract/envelopes.ts';
import type { Fields } from '../../../shared/contract/fields.ts';
import { listInput } from '../../../shared/contract/list-input.ts';
import {
  cursorPage,
  cursorQuery,
  numberedPage,
  pageQuery,
  searchQuery,
  simpleList,
} from '../../../shared/contract/pagination.ts';
import { ById, RecordId, SlugAddress } from '../../../shared/contract/record-id.ts';
import type { Resource } from '../../../shared/contract/resource.ts';
import { includeQuery, type Shared } from '../../../shared/contract/sharing.ts';
import { del, get, patch, post } from '../../api/access/route.ts';
import { cachedRead } from '../../api/cache/cached-read.ts';
import type { ToolMeta } from '../../api/meta.ts';
import { narrow, sparse } from '../../api/sparse-fields.ts';
import { deletes, updates } from '../../api/trpc.ts';
import { readableNames } from './collection.ts';
import { listByCursor } from './cursor.ts';
import { includedColumns } from './include-covers.ts';
import { listAll, listPage } from './public-reads.ts';
import { getOne } from './record-finder.ts';
import { createRecord, deleteRecord, updateRecord } from './writes.ts';

/** Returns the procedure GET /v1/{collection}, which lists one page of public records by cursor. */
export const cursorList = <F extends Fields & Shared>(resource: Resource<F>) =>
  get({
    ...at(resource),
    scope: 'read',
    mcp: toolOf('list', resource),
    summary: `List ${resource.collection}`,
  })
    .concat(cachedRead(resource.collection, readersInput(resource, { ...cursorQuery, ...includeQuery })))
    .output(cursorPage(sparse(resource.read)))
    .query(async ({ ctx, input: { cursor, limit, sort, fields, include, ...filter } }) => {
      const list = { cursor, limit, sort, fields, include, filter };
      const page = await listByCursor({ ...ctx, resource }, list);
      return { ...page, data: page.data.map((row) => narrow(row, fields, includedColumns(include))) };
    });

/** Returns the procedure GET /v1/{collection}, which lists all public records, newest first. */
export const fullList = <F extends Fields>(resource: Resource<F>) =>
  wholeListMeta(resource)
    .concat(cachedRead(resource.collection, readersInput(resource, {})))
    .output(simpleList(sparse(resource.read)))
    .query(async ({ ctx, input: { fields, ...filter } }) => ({
      data: await listAll({ ...ctx, resource }, { fields, filter }),
    }));

/** Returns the procedure GET /v1/{collection}, which lists all public records, newest first, with covers on request. */
export const fullListWithCovers = <F extends Fields & Shared>(resource: Resource<F>) =>
  wholeListMeta(resource)
    .concat(cachedRead(resource.collection, readersInput(resource, includeQuery)))
    .output(simpleList(sparse(resource.read)))
    .query(async ({ ctx, input: { fields, include, ...filter } }) => ({
      data: await listAll({ ...ctx, resource }, { fields, include, filter }),
    }));

const wholeListMeta = (resource: { name: string; collection: string }) =>
  get({
    ...at(resource),
    scope: 'read',
    mcp: toolOf('list', resource),
    summary: `List all ${resource.collection}, newest first`,
  });

/**
 * Returns the procedure GET /v1/{collection}/{slug}, which gets one public record. It throws `not_found` if there is none
 * with this slug.
 */
export const getBySlug = <F extends Fields & Shared>(resource: Resource<F>) =>
  get({
    ...at(resource, '/{slug}'),
    scope: 'read',
    mcp: toolOf('get', resource),
    summary: `Get ${one(resource)} by its slug`,
  })
    .concat(cachedRead(resource.collection, z.object({ slug: SlugAddress, ...includeQuery })))
    .output(resource.read)
    .query(({ ctx, input }) => getOne(ctx, resource, input));

/** Returns the procedure GET /v2/{collection}, which lists one page of public records by its number. */
export const pageList = <F extends Fields & Shared>(resource: Resource<F>) =>
  get({ ...at(resource, '', 'v2'), scope: 'read:content', summary: `List ${resource.collection}` })
    .concat(cachedRead(resource.collection, readersInput(resource, { ...pageQuery, ...includeQuery })))
    .output(numberedPage(sparse(resource.read)))
    .query(({ ctx, input: { page, per_page, fields, include, ...filter } }) =>
      listPage({ ...ctx, resource }, { page, per_page, fields, include, filter }),
    );

/**
 * Returns the procedure GET /v2/{collection}/{id}, which gets one public record. It throws `not_found` if there is none
 * with this ID. It is also a tool for resources that have no such tool in v1.
 */
export const getById = <F extends Fields & Shared>(resource: Resource<F>, mcp?: ToolMeta) =>
  get({
    ...at(resource, '/{id}', 'v2'),
    scope: 'read:content',
    mcp,
    summary: `Get ${one(resource)} by its ID`,
  })
    .concat(cachedRead(resource.collection, z.object({ id: RecordId, ...includeQuery })))
    .output(resource.read)
    .query(({ ctx, input }) => getOne(ctx, resource, input));

/** Returns the procedures of v1 that create, update and delete records of a resource. */
export const v1Writes = <F extends Fields>(resource: Resource<F>) => ({
  create: post({ ...toWrite('create', resource), summary: `Create ${one(resource)}` })
    .meta({ tagged: true })
    .input(resource.apiCreate)
    .output(Created)
    .mutation(({ ctx, input }) => createRecord({ ...ctx, resource }, input)),
  update: patch({ ...toWrite('update', resource, '/{id}'), summary: `Update ${one(resource)}` })
    .meta({ tagged: true, conditional: true })
    .input(resource.apiUpdate)
    .output(Updated)
    .mutation(updates(({ ctx, input }) => updateRecord({ ...ctx, resource }, input))),
  delete: del({ ...toWrite('delete', resource, '/{id}'), summary: `Delete ${one(resource)}` })
    .meta({ conditional: true })
    .input(ById)
    .output(Deleted)
    .mutation(deletes(({ ctx, input }) => deleteRecord({ ...ctx, resource }, input))),
});

const toWrite = (
  verb: Parameters<typeof toolOf>[0],
  resource: Pick<Resource, 'name' | 'collection'>,
  rest = '',
) => ({ ...at(resource, rest), scope: 'write', mcp: toolOf(verb, resource) }) as const;

/** Query options of readers: filters except the draft state. */
function readersInput<F extends Fields, P extends z.core.$ZodShape>({ fields }: Resource<F>, paging: P) {
  const { is_draft: _, ...readable } = fields;
  return listInput({ ...paging, q: searchQuery }, readable, readableNames(fields));
}

/** Returns the name of a resource with its article, such as `a post` or `an education entry`. */
const one = ({ name, collection }: { name: string; collection: string }) =>
  `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}${name === collection ? ' entry' : ''}`;

const at = ({ collection }: { collection: string }, rest = '', version: 'v1' | 'v2' = 'v1') =>
  ({ path: `/${version}/${collection}${rest}`, tag: collection }) as const;

type Verb = 'list' | 'get' | 'create' | 'update' | 'delete';

/** Returns the name of a resource's tool, such as `list_posts` or `get_post`, with its resource and advice. */
export function toolOf(verb: Verb, { name, collection }: { name: string; collection: string }): ToolMeta {
  const one = name.replaceAll(' ', '_');
  return {
    name: `${verb}_${verb === 'list' ? collection : one}`,
    resource: collection,
    ...(verb === 'update' && { advice: `Fields as in create_${one}.` }),
  };
}
