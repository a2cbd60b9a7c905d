import { z } from 'zod';
import { fieldsQuery, simpleList } from '../../../shared/contract/pagination.ts';
import { PostV2 } from '../../../shared/contract/post-read.ts';
import { post } from '../../../shared/contract/resources/post.ts';
import { includeQuery } from '../../../shared/contract/sharing.ts';
import { keyProcedure } from '../../access/procedures.ts';
import { cachedRead } from '../../cache/cached-read.ts';
import { columnsFor, narrow, sparse } from '../../kernel/sparse.ts';
import { collectionOf } from '../records/collection.ts';
import { includedColumns, including } from '../records/included.ts';
import { readableNames } from '../records/readable-names.ts';
import { findPinned } from './pinned.ts';
import { always, shownInV2, unaskedNames } from './post-reads.ts';
import { withReader } from './reader.ts';

/** What the visitor of a page is entitled to: pages are kept for those who may read the same. */
export const entitlements = keyProcedure
  .meta({ scope: 'read' })
  .concat(withReader)
  .output(
    z.strictObject({
      signedIn: z.boolean(),
      tiers: z.array(z.string()).readonly(),
      purchases: z.array(z.string()).readonly(),
    }),
  )
  .query(({ ctx }) => ctx.reader);

/** The post at the top of the home page, as a list of at most one. */
export const pinnedPosts = keyProcedure
  .meta({ scope: 'read' })
  .concat(withReader)
  .concat(
    cachedRead(
      post.collection,
      z.object({ fields: fieldsQuery(unaskedNames(PostV2)), ...includeQuery }).prefault({}),
    ),
  )
  .output(simpleList(sparse(PostV2)))
  .query(async ({ ctx, input: { fields, include } }) => {
    const columns = columnsFor(fields, always) ?? readableNames(post.fields);
    const besides = includedColumns(include);
    const pinned = await findPinned(collectionOf(ctx, post), [...columns, ...besides]);
    const shown = await including(collectionOf(ctx, post), pinned ? [pinned] : [], include);
    return { data: shown.map((row) => narrow(shownInV2(row, ctx.reader), fields, besides)) };
  });
