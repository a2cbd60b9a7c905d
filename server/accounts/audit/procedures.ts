import { z } from 'zod';
import { AuditEntry, auditQuery } from '../../../shared/contract/features/audit.ts';
import { numberedPage } from '../../../shared/contract/pagination.ts';
import { ownerProcedure } from '../../api/access/procedures.ts';
import { router } from '../../api/trpc.ts';
import { listEntries } from './store.ts';

export const audit = {
  studio: {
    audit: router({
      list: ownerProcedure
        .input(z.object(auditQuery).prefault({}))
        .output(numberedPage(AuditEntry))
        .query(({ ctx, input }) => listEntries(ctx.deps, ctx.siteId, input)),
    }),
  },
};
