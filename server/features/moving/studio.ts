import { z } from 'zod';
import { type Move, MoveTicket } from '../../../shared/contract/moving.ts';
import { ownerProcedure } from '../../access/procedures.ts';
import { router } from '../../kernel/trpc.ts';
import { issueTicket } from './tickets.ts';

/** A ticket is what is limited and noted: each makes the server read or write a whole site, however small a request it is. */
const ticketFor = (move: Move) =>
  ownerProcedure
    .meta({ rpcTier: 'moderate' })
    .input(z.strictObject({}).prefault({}))
    .output(MoveTicket)
    .mutation(({ ctx }) => issueTicket(ctx.deps, { siteId: ctx.siteId, actor: ctx.actor, move }));

/** A site on its way in or out. The files themselves go over HTTP, at the address that a ticket has. */
export const movingStudio = router({
  /** To `GET` the archive of the site. */
  export: ticketFor('export'),
  /** To `POST` a file, and be told what would become of each record. */
  check: ticketFor('check'),
  /** To `POST` it, and have it imported. */
  import: ticketFor('import'),
});
