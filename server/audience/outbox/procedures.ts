import { ListOutbox, OutboxPage, OwnMailKind, ReadMail } from '../../../shared/contract/features/outbox.ts';
import { ById } from '../../../shared/contract/record-id.ts';
import type { Outbox, StoredMail } from '../../../shared/mail/outbox.ts';
import { ownerProcedure } from '../../api/access/procedures.ts';
import { found } from '../../api/api-error.ts';
import { router } from '../../api/trpc.ts';
import { readHeads, readWhole } from './read-outbox.ts';

const studio = router({
  list: ownerProcedure
    .input(ListOutbox.prefault({}))
    .output(OutboxPage)
    .query(async ({ ctx, input: { page, per_page } }) => {
      const { outbox } = ctx.deps.mailer;
      if (!outbox) return { items: [], page, per_page, total: 0, enabled: false };
      const own = await listOwn(outbox, ctx.siteId);
      const heads = await readHeads(outbox, own.slice((page - 1) * per_page, page * per_page));
      const items = heads.map(({ kept, to, subject }) => ({ ...shown(kept), to, subject }));
      return { items, page, per_page, total: own.length, enabled: true };
    }),

  get: ownerProcedure
    .input(ById)
    .output(ReadMail)
    .query(async ({ ctx, input }) => {
      const outbox = found(ctx.deps.mailer.outbox);
      const kept = found((await listOwn(outbox, ctx.siteId)).find(({ id }) => id === input.id));
      return { ...shown(kept), ...found(await readWhole(outbox, kept)) };
    }),
});

type OwnMail = StoredMail & { kind: OwnMailKind };

/** Lists emails that owners may read. Emails with which someone could sign in are excluded. */
async function listOwn(outbox: Outbox, siteId: string): Promise<OwnMail[]> {
  const all = await outbox.list();
  return all.flatMap((mail) => {
    const { data: kind } = OwnMailKind.safeParse(mail.kind);
    return kind && mail.siteId === siteId ? [{ ...mail, kind }] : [];
  });
}

const shown = ({ id, kind, created }: OwnMail) => ({ id, kind, created });

export const outbox = { studio: { outbox: studio } };
