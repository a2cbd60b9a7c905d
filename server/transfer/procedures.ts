import { ImportSettings } from '../../shared/contract/features/import-export.ts';
import { issueTicket, ticketProcedure, toExport } from '../api/access/transfer-tickets.ts';
import { router } from '../api/trpc.ts';

const toImport = (kind: 'check' | 'import') =>
  ticketProcedure.input(ImportSettings.prefault({})).mutation(async ({ ctx, input }) => {
    const { url, expires_at } = await issueTicket(ctx.deps, { siteId: ctx.siteId, actor: ctx.actor, kind });
    const settings = new URLSearchParams({
      ...(input.fetch_media && { fetch_media: 'true' }),
      ...(input.mode !== 'as-marked' && { mode: input.mode }),
      ...(Object.keys(input.answers).length > 0 && { answers: JSON.stringify(input.answers) }),
    });
    return { url: settings.size > 0 ? `${url}?${settings}` : url, expires_at };
  });

/** Procedures that issue tickets for transfers. The files themselves are sent over HTTP to the ticket's URL. */
export const importExport = {
  studio: {
    transfers: router({
      /** Issues a ticket to `GET` the archive of the site. */
      export: toExport('export'),
      /** Issues a ticket to `POST` a file for a dry run. */
      check: toImport('check'),
      /** Issues a ticket to `POST` a file for an import. */
      import: toImport('import'),
    }),
  },
};
