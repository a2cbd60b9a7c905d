import { z } from 'zod';
import { PostV2 } from '../../../shared/contract/features/post-read.ts';
import { fieldsQuery, simpleList } from '../../../shared/contract/pagination.ts';
import { RecordId } from '../../../shared/contract/record-id.ts';
import { post } from '../../../shared/contract/resources/post.ts';
import { includeQuery } from '../../../shared/contract/sharing.ts';
import { keyProcedure } from '../../api/access/procedures.ts';
import { cachedRead } from '../../api/cache/cached-read.ts';
import { columnsFor, narrow, sparse } from '../../api/sparse-fields.ts';
import { readableNames } from '../records/collection.ts';
import { includedColumns, including } from '../records/include-covers.ts';
import { readerOfRecords, withReader } from './member-reader.ts';
import { findAround, findPinned } from './neighboring-posts.ts';
import { always, defaultNames, type PostRow, shownInV2 } from './public-procedures.ts';

/** Entitlements of a page's visitor. Pages are cached per set of entitlements. */
const entitlements = keyProcedure
  .meta({ scope: 'read' })
  .concat(withReader)
  .output(
    z.strictObject({
      signedIn: z.boolean(),
      tiers: z.array(z.string()).readonly(),
      purchases: z.array(z.string()).readonly(),
      buyer: z.string().optional(),
    }),
  )
  .query(({ ctx }) => ctx.reader);

/** Post at the top of the home page, as a list of at most one. */
const pinnedPosts = keyProcedure
  .meta({ scope: 'read' })
  .concat(withReader)
  .concat(
    cachedRead(
      post.collection,
      z.object({ fields: fieldsQuery(defaultNames(PostV2)), ...includeQuery }).prefault({}),
    ),
  )
  .output(simpleList(sparse(PostV2)))
  .query(async ({ ctx, input: { fields, include } }) => {
    const columns = columnsFor(fields, always) ?? readableNames(post.fields);
    const included = includedColumns(include);
    const pinned = await findPinned({ ...ctx, resource: post }, [...columns, ...included]);
    const shown = await including(ctx, pinned ? [pinned] : [], include);
    const reader = await readerOfRecords(ctx, 'posts', shown);
    return { data: shown.map((row) => narrow(shownInV2(row, reader), fields, included)) };
  });

const besidePost = ['id', 'title', 'slug', 'published_at', 'is_gated', 'gate_reason'];

/** Posts before and after a post, and related ones. */
const postsAround = keyProcedure
  .meta({ scope: 'read', reads: [post.collection, 'media'] })
  .concat(withReader)
  .input(z.object({ id: RecordId }))
  .output(
    z.strictObject({
      before: sparse(PostV2).nullable(),
      after: sparse(PostV2).nullable(),
      related: z.array(sparse(PostV2)),
    }),
  )
  .query(async ({ ctx, input: { id } }) => {
    const columns = [...(columnsFor(besidePost, always) ?? []), ...includedColumns(['cover'])];
    const { before, after, related } = await findAround({ ...ctx, resource: post }, id, columns);
    const rows = [before, after, ...related].filter((row) => row !== null);
    const reader = await readerOfRecords(ctx, 'posts', rows);
    const shown = (row: PostRow) => narrow(shownInV2(row, reader), besidePost, ['cover']);
    return { before: before && shown(before), after: after && shown(after), related: related.map(shown) };
  });

export const posts = { visitors: { entitlements, pinnedPosts, postsAround } };
