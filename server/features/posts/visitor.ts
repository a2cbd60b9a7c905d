import { z } from 'zod';
import { namesOf } from '../../../shared/contract/names-of.ts';
import { fieldsQuery, simpleList } from '../../../shared/contract/pagination.ts';
import { PostV2 } from '../../../shared/contract/post-read.ts';
import { post } from '../../../shared/contract/resources/post.ts';
import { keyProcedure } from '../../access/procedures.ts';
import { cachedRead } from '../../cache/cached-read.ts';
import { columnsFor, narrow, sparse } from '../../kernel/sparse.ts';
import { collectionOf } from '../records/collection.ts';
import { readableNames } from '../records/readable-names.ts';
import { findPinned } from './pinned.ts';
import { always, shownInV2 } from './post-reads.ts';
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
  .concat(cachedRead(post.collection, z.object({ fields: fieldsQuery(namesOf(PostV2)) }).prefault({})))
  .output(simpleList(sparse(PostV2)))
  .query(async ({ ctx, input: { fields } }) => {
    const columns = columnsFor(fields, always) ?? readableNames(post.fields);
    const pinned = await findPinned(collectionOf(ctx, post), columns);
    return { data: pinned ? [narrow(shownInV2(pinned, ctx.reader), fields)] : [] };
  });
