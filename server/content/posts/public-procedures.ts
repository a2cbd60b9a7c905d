import { z } from 'zod';
import { gate, type Reader } from '../../../shared/content/gate.ts';
import { documented } from '../../../shared/contract/documented.ts';
import { PostV1, PostV2 } from '../../../shared/contract/features/post-read.ts';
import { comparedText } from '../../../shared/contract/fields.ts';
import { listInput } from '../../../shared/contract/list-input.ts';
import { namesOf } from '../../../shared/contract/names-of.ts';
import {
  cursorPage,
  cursorQuery,
  numberedPage,
  pageQuery,
  searchQuery,
  sortQuery,
} from '../../../shared/contract/pagination.ts';
import { RecordId, SlugAddress } from '../../../shared/contract/record-id.ts';
import type { RecordOf } from '../../../shared/contract/resource.ts';
import { post } from '../../../shared/contract/resources/post.ts';
import { includedNames, includeQuery } from '../../../shared/contract/sharing.ts';
import { get } from '../../api/access/route.ts';
import { cachedRead } from '../../api/cache/cached-read.ts';
import { narrow, sparse } from '../../api/sparse-fields.ts';
import { listByCursor } from '../records/cursor.ts';
import { includedColumns } from '../records/include-covers.ts';
import { toolOf } from '../records/procedures.ts';
import { listPage } from '../records/public-reads.ts';
import { getOne } from '../records/record-finder.ts';
import { readerOfRecords, withReader } from './member-reader.ts';

const v1 = { scope: 'read', tag: 'posts' } as const;
const v2 = { scope: 'read:content', tag: 'posts' } as const;

/** Query parameters of lists of posts, in addition to the filters of their fields. */
const tagQuery = {
  tag: documented(comparedText(200).min(1), 'Only records with this tag', 'typescript').optional(),
};

/** Columns that the gate needs; lists fetch them even if `fields` does not name them. */
export const always = ['id', 'access_tier'];

/** Names of a contract's fields that a record has without `include`. */
export const defaultNames = <S extends z.core.$ZodShape>(contract: z.ZodObject<S>) =>
  namesOf(contract).filter(
    (name): name is Exclude<typeof name, IncludedName> => !includable.some((included) => included === name),
  );

const includable = Object.values(includedNames).flat();

type IncludedName = (typeof includable)[number];

/** Fields by which the API filters posts. Drafts are never returned there, so `is_draft` is not one of them. */
const { is_draft: _, ...filterable } = post.fields;

/** GET /v1/posts: cursor list with gated bodies, search and field selection. */
export const listV1 = get({ ...v1, path: '/v1/posts', mcp: toolOf('list', post), summary: 'List posts' })
  .concat(withReader)
  .concat(
    cachedRead(
      post.collection,
      listInput(
        { ...cursorQuery, ...tagQuery, ...includeQuery, q: searchQuery },
        filterable,
        defaultNames(PostV1),
      ),
    ),
  )
  .output(cursorPage(sparse(PostV1)))
  .query(async ({ ctx, input: { cursor, limit, sort, fields, include, ...filter } }) => {
    const list = { cursor, limit, sort, fields, include, filter };
    const page = await listByCursor({ ...ctx, resource: post }, list, always);
    const reader = await readerOfRecords(ctx, 'posts', page.data);
    return {
      ...page,
      data: page.data.map((row) => narrow(shownInV1(row, reader), fields, includedColumns(include))),
    };
  });

export const getV1 = get({
  ...v1,
  mcp: toolOf('get', post),
  path: '/v1/posts/{slug}',
  summary: 'Get a post by its slug',
})
  .concat(withReader)
  .concat(cachedRead(post.collection, z.object({ slug: SlugAddress, ...includeQuery })))
  .output(PostV1)
  .query(async ({ ctx, input }) => {
    const row = await getOne(ctx, post, input);
    return shownInV1(row, await readerOfRecords(ctx, 'posts', [row]));
  });

export const listV2 = get({ ...v2, path: '/v2/posts', summary: 'List posts' })
  .concat(withReader)
  .concat(
    cachedRead(
      post.collection,
      listInput(
        { ...pageQuery, sort: sortQuery(filterable), ...tagQuery, ...includeQuery, q: searchQuery },
        filterable,
        defaultNames(PostV2),
      ),
    ),
  )
  .output(numberedPage(sparse(PostV2)))
  .query(async ({ ctx, input: { fields, include, page, per_page, sort, ...filter } }) => {
    const paged = { page, per_page, sort, filter, fields, include };
    const list = await listPage({ ...ctx, resource: post }, paged, always);
    const reader = await readerOfRecords(ctx, 'posts', list.items);
    const shown = (row: PostRow) => narrow(shownInV2(row, reader), fields, includedColumns(include));
    return { ...list, items: list.items.map(shown) };
  });

export const getV2 = get({ ...v2, path: '/v2/posts/{id}', summary: 'Get a post by its ID' })
  .concat(withReader)
  .concat(cachedRead(post.collection, z.object({ id: RecordId, ...includeQuery })))
  .output(PostV2)
  .query(async ({ ctx, input }) => {
    const row = await getOne(ctx, post, input);
    return shownInV2(row, await readerOfRecords(ctx, 'posts', [row]));
  });

/** Post with all columns, before the gate. */
export type PostRow = RecordOf<typeof post.fields>;

function shownInV1(row: PostRow, reader: Reader) {
  const { access_tier: _, ...shown } = gated(row, reader);
  return shown;
}

export function shownInV2(row: PostRow, reader: Reader) {
  const { visibility: _, featured: __, ...shown } = gated(row, reader);
  return shown;
}

/** Returns the post with its body, or with the reason why the gate withholds it from `reader`. */
function gated({ content, ...rest }: PostRow, reader: Reader) {
  const reason = gate('posts', rest, reader);
  return reason ? { ...rest, is_gated: true as const, gate_reason: reason } : { ...rest, content };
}
