import { z } from 'zod';
import { ImportSettings, MoveTicket } from '../../../shared/contract/moving.ts';
import { ownerProcedure } from '../../access/procedures.ts';
import { router } from '../../kernel/trpc.ts';
import { issueTicket } from './tickets.ts';

/** A ticket is what is limited and noted: each makes the server read or write a whole site, however small a request it is. */
const ticket = ownerProcedure.meta({ rpcTier: 'moderate' }).output(MoveTicket);

const toImport = (move: 'check' | 'import') =>
  ticket.input(ImportSettings.prefault({})).mutation(async ({ ctx, input }) => {
    const { url, expires_at } = await issueTicket(ctx.deps, { siteId: ctx.siteId, actor: ctx.actor, move });
    return { url: input.fetch_media ? `${url}?fetch_media=true` : url, expires_at };
  });

/** A site on its way in or out. The files themselves go over HTTP, at the address that a ticket has. */
export const movingStudio = router({
  /** To `GET` the archive of the site. */
  export: ticket
    .input(z.strictObject({}).prefault({}))
    .mutation(({ ctx }) => issueTicket(ctx.deps, { siteId: ctx.siteId, actor: ctx.actor, move: 'export' })),
  /** To `POST` a file, and be told what would become of each record. */
  check: toImport('check'),
  /** To `POST` it, and have it imported. */
  import: toImport('import'),
});
