import { z } from 'zod';
import { ImportSettings, TransferTicket } from '../../../shared/contract/import-export.ts';
import { ownerProcedure } from '../../access/procedures.ts';
import { router } from '../../kernel/trpc.ts';
import { issueTicket } from './tickets.ts';

/** A ticket is what is limited and noted: each makes the server read or write a whole site, however small a request it is. */
const ticket = ownerProcedure.meta({ rpcTier: 'moderate' }).output(TransferTicket);

const toImport = (kind: 'check' | 'import') =>
  ticket.input(ImportSettings.prefault({})).mutation(async ({ ctx, input }) => {
    const { url, expires_at } = await issueTicket(ctx.deps, { siteId: ctx.siteId, actor: ctx.actor, kind });
    return { url: input.fetch_media ? `${url}?fetch_media=true` : url, expires_at };
  });

/** A site on its way in or out. The files themselves go over HTTP, at the address that a ticket has. */
export const importExport = {
  studio: {
    moving: router({
      /** To `GET` the archive of the site. */
      export: ticket
        .input(z.strictObject({}).prefault({}))
        .mutation(({ ctx }) =>
          issueTicket(ctx.deps, { siteId: ctx.siteId, actor: ctx.actor, kind: 'export' }),
        ),
      /** To `POST` a file, and be told what would become of each record. */
      check: toImport('check'),
      /** To `POST` it, and have it imported. */
      import: toImport('import'),
    }),
  },
};
