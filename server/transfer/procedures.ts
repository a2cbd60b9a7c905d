import { ImportSettings } from '../../shared/contract/features/import-export.ts';
import { router } from '../api/trpc.ts';
import { issueTicket, ticketProcedure, toExport } from './tickets.ts';

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

/** A site on its way in or out. The files themselves go over HTTP, at the address that a ticket has. */
export const importExport = {
  studio: {
    transfers: router({
      /** To `GET` the archive of the site. */
      export: toExport('export'),
      /** To `POST` a file, and be told what would become of each record. */
      check: toImport('check'),
      /** To `POST` it, and have it imported. */
      import: toImport('import'),
    }),
  },
};
