import { sql } from 'kysely';
import type { z } from 'zod';
import { AuditEntry, type auditQuery } from '../../../shared/contract/audit.ts';
import { toDate } from '../../../shared/contract/moments.ts';
import { namesOf } from '../../../shared/contract/names-of.ts';
import type { Deps } from '../../kernel/deps.ts';
import { newestPage } from '../../kernel/newest-page.ts';

type Asked = z.output<z.ZodObject<typeof auditQuery>>;

/** Changes of how a site is run, the latest first. */
export function listEntries({ database }: Deps, siteId: string, { page, per_page, ...filter }: Asked) {
  const { action, actor_id, record_id, created_from, created_before } = filter;
  let rows = database.em
    .getKysely()
    .selectFrom('audit_log')
    .select(namesOf(AuditEntry))
    .where('site_id', '=', siteId);
  if (action) rows = rows.where('action', 'in', action);
  if (actor_id !== undefined) rows = rows.where(sql`actor ->> 'id'`, '=', actor_id);
  if (record_id !== undefined) rows = rows.where('record_id', '=', record_id);
  if (created_from !== undefined) rows = rows.where('created', '>=', toDate(created_from));
  if (created_before !== undefined) rows = rows.where('created', '<', toDate(created_before));
  return newestPage(rows, { page, per_page });
}
