import { z } from 'zod';
import { searchableListInput } from '../../../shared/contract/list-input.ts';
import { namesOf } from '../../../shared/contract/names-of.ts';
import {
  cursorPage,
  cursorQuery,
  numberedPage,
  pageQuery,
  sortQuery,
  tagQuery,
} from '../../../shared/contract/pagination.ts';
import { PostV1, PostV2 } from '../../../shared/contract/post-read.ts';
import { RecordId, SlugAddress } from '../../../shared/contract/record-id.ts';
import type { RecordOf } from '../../../shared/contract/resource.ts';
import { post } from '../../../shared/contract/resources/post.ts';
import { includedNames, includeQuery } from '../../../shared/contract/sharing.ts';
import { get } from '../../access/route.ts';
import { cachedRead } from '../../cache/cached-read.ts';
import type { Reader } from '../../kernel/callers.ts';
import { narrow, sparse } from '../../kernel/sparse.ts';
import { collectionOf } from '../records/collection.ts';
import { listByCursor } from '../records/cursor-list.ts';
import { getOne } from '../records/get-one.ts';
import { includedColumns } from '../records/included.ts';
import { listPage } from '../records/reads.ts';
import { getTool, listTool } from '../records/tools.ts';
import { gate } from './gate.ts';
import { withReader } from './reader.ts';

const v1 = { scope: 'read', tag: 'posts' } as const;
const v2 = { scope: 'read:content', tag: 'posts' } as const;

/** Columns that a list needs whatever `fields` names: for the gate. */
export const always = ['id', 'access_tier'];

/** What a record of a contract has unasked. */
export const unaskedNames = <S extends z.core.$ZodShape>(contract: z.ZodObject<S>) =>
  namesOf(contract).filter(
    (name): name is Exclude<typeof name, IncludedName> => !includable.some((included) => included === name),
  );

const includable = Object.values(includedNames).flat();

type IncludedName = (typeof includable)[number];

/** Nobody but its owner is told of drafts. */
const { is_draft: _, ...filterable } = post.fields;

/** GET /v1/posts: as any cursor list, with bodies gated, searchable and sparse. */
export const listV1 = get({ ...v1, path: '/v1/posts', mcp: listTool(post), summary: 'List posts' })
  .concat(withReader)
  .concat(
    cachedRead(
      post.collection,
      searchableListInput({ ...cursorQuery, ...tagQuery, ...includeQuery }, filterable, unaskedNames(PostV1)),
    ),
  )
  .output(cursorPage(sparse(PostV1)))
  .query(async ({ ctx, input: { cursor, limit, sort, fields, include, ...filter } }) => {
    const list = { cursor, limit, sort, fields, include, filter, always };
    const page = await listByCursor(collectionOf(ctx, post), list);
    return {
      ...page,
      data: page.data.map((row) => narrow(shownInV1(row, ctx.reader), fields, includedColumns(include))),
    };
  });

/** GET /v1/posts/{slug} */
export const getV1 = get({
  ...v1,
  mcp: getTool(post),
  path: '/v1/posts/{slug}',
  summary: 'Get a post by its slug',
})
  .concat(withReader)
  .concat(cachedRead(post.collection, z.object({ slug: SlugAddress, ...includeQuery })))
  .output(PostV1)
  .query(async ({ ctx, input }) => shownInV1(await getOne(ctx, post, input), ctx.reader));

/** GET /v2/posts */
export const listV2 = get({ ...v2, path: '/v2/posts', summary: 'List posts' })
  .concat(withReader)
  .concat(
    cachedRead(
      post.collection,
      searchableListInput(
        { ...pageQuery, sort: sortQuery(filterable), ...tagQuery, ...includeQuery },
        filterable,
        unaskedNames(PostV2),
      ),
    ),
  )
  .output(numberedPage(sparse(PostV2)))
  .query(async ({ ctx, input: { fields, include, page, per_page, sort, ...filter } }) => {
    const asked = { page, per_page, sort, filter, fields, include, always };
    const list = await listPage(collectionOf(ctx, post), asked);
    const shown = (row: PostRow) => narrow(shownInV2(row, ctx.reader), fields, includedColumns(include));
    return { ...list, items: list.items.map(shown) };
  });

/** GET /v2/posts/{id} */
export const getV2 = get({ ...v2, path: '/v2/posts/{id}', summary: 'Get a post by its id' })
  .concat(withReader)
  .concat(cachedRead(post.collection, z.object({ id: RecordId, ...includeQuery })))
  .output(PostV2)
  .query(async ({ ctx, input }) => shownInV2(await getOne(ctx, post, input), ctx.reader));

type PostRow = RecordOf<typeof post.fields>;

function shownInV1(row: PostRow, reader: Reader) {
  const { access_tier: _, ...shown } = gated(row, reader);
  return shown;
}

export function shownInV2(row: PostRow, reader: Reader) {
  const { visibility: _, featured: __, ...shown } = gated(row, reader);
  return shown;
}

/** The post with its body, or with the reason why `reader` may not have it. */
function gated({ content, ...rest }: PostRow, reader: Reader) {
  const reason = gate(rest, reader);
  return reason ? { ...rest, is_gated: true as const, gate_reason: reason } : { ...rest, content };
}
