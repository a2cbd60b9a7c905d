import { z } from 'zod';
import { Created, Deleted, Updated } from '../../../shared/contract/envelopes.ts';
import {
  CreateRedirect,
  ListRedirects,
  Redirect,
  RedirectPage,
  redirectedCollections,
  UpdateRedirect,
} from '../../../shared/contract/features/redirects.ts';
import { ById } from '../../../shared/contract/record-id.ts';
import { keyProcedure, staffProcedure } from '../../api/access/procedures.ts';
import { deletes, router, updates } from '../../api/trpc.ts';
import {
  createRedirect,
  deleteRedirect,
  findEnd,
  getRedirect,
  hostsOf,
  listRedirects,
  updateRedirect,
} from './store.ts';

const staff = staffProcedure('publish');

/** Redirects of the site. */
const studio = router({
  list: staff
    .input(ListRedirects.prefault({}))
    .output(RedirectPage)
    .query(({ ctx, input }) => listRedirects(ctx.deps, ctx.siteId, input)),

  get: staff
    .input(ById)
    .output(Redirect)
    .query(({ ctx, input }) => getRedirect(ctx.deps, ctx.siteId, input.id)),

  create: staff
    .input(CreateRedirect)
    .output(Created)
    .mutation(({ ctx, input }) => createRedirect(ctx, input)),

  update: staff
    .meta({ conditional: true })
    .input(UpdateRedirect)
    .output(Updated)
    .mutation(updates(({ ctx, input }) => updateRedirect(ctx, input))),

  delete: staff
    .meta({ conditional: true })
    .input(ById)
    .output(Deleted)
    .mutation(deletes(({ ctx, input }) => deleteRedirect(ctx, input.id))),
});

const Lead = z.strictObject({ to: z.string(), permanent: z.boolean() });

/**
 * Target of a canonical path, for the site's pages; null if there is none. Of a chain of redirects, which imports may
 * create, one answer covers two steps; the visitor's next request covers the following ones.
 */
const redirectFrom = keyProcedure
  .meta({ scope: 'read', reads: ['redirects', ...redirectedCollections] })
  .input(z.strictObject({ path: z.string() }))
  .output(Lead.nullable())
  .query(({ ctx, input: { path } }) => {
    const hosts = [ctx.host, ...(ctx.caller.kind === 'visitor' ? hostsOf(ctx.deps, ctx.caller.site) : [])];
    return findEnd({ ...ctx, hosts }, path);
  });

export const redirects = { studio: { redirects: studio }, visitors: { redirect: redirectFrom } };
