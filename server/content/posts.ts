import { z } from 'zod';
import { cursorPage, cursorQuery, fieldsQuery, searchQuery } from '../../shared/contract/pagination.ts';
import { PostV1 } from '../../shared/contract/post-read.ts';
import { SlugAddress } from '../../shared/contract/record-id.ts';
import type { RecordOf } from '../../shared/contract/resource.ts';
import { post } from '../../shared/contract/resources/post.ts';
import { get } from '../access/route.ts';
import { collectionOf } from './collection.ts';
import { listByCursor } from './cursor-list.ts';
import { anyone, gate, type Reader } from './gate.ts';
import { found } from './procedures.ts';
import { findOne } from './reads.ts';
import { columnsFor, fieldNames, narrow, sparse } from './sparse.ts';

const route = { scope: 'read', tag: 'posts' } as const;

/** GET /v1/posts: as any cursor list, with bodies gated, searchable and sparse. */
export const listV1 = get({ ...route, path: '/v1/posts', summary: 'List posts' })
  .input(z.object({ ...cursorQuery, ...searchQuery, fields: fieldsQuery(fieldNames(PostV1)) }).prefault({}))
  .output(cursorPage(sparse(PostV1)))
  .query(async ({ ctx, input: { fields, ...query } }) => {
    const columns = columnsFor(fields, ['id', 'created', 'updated', 'title', 'access_tier']);
    const page = await listByCursor(collectionOf(ctx, post), { ...query, columns });
    return { ...page, data: page.data.map((row) => narrow(shownInV1(row, anyone), fields)) };
  });

/** GET /v1/posts/{slug} */
export const getV1 = get({ ...route, path: '/v1/posts/{slug}', summary: 'Get a post by its slug' })
  .input(z.object({ slug: SlugAddress }))
  .output(PostV1)
  .query(async ({ ctx, input }) =>
    shownInV1(found(await findOne(collectionOf(ctx, post), { slug: input.slug })), anyone),
  );

type PostRow = RecordOf<typeof post.fields>;

function shownInV1(row: PostRow, reader: Reader) {
  const { access_tier: _, ...shown } = gated(row, reader);
  return shown;
}

/** The post with its body, or with the reason why `reader` may not have it. */
function gated({ content, ...rest }: PostRow, reader: Reader) {
  const reason = gate(rest, reader);
  return reason ? { ...rest, is_gated: true as const, gate_reason: reason } : { ...rest, content };
}
