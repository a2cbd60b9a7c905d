import { type SqlBool, sql } from 'kysely';
import type { z } from 'zod';
import { AuditEntry, type auditQuery } from '../../../shared/contract/features/audit.ts';
import { namesOf } from '../../../shared/contract/names-of.ts';
import { toDate } from '../../../shared/contract/timestamps.ts';
import { newestPage } from '../../../shared/db/newest-page.ts';
import type { Deps } from '../../api/deps.ts';

type AuditQuery = z.output<z.ZodObject<typeof auditQuery>>;

/**
 * Lists one page of a site's audit log, latest first, and the number of all matching entries. They are changes to how the
 * site is run.
 */
export function listEntries({ database }: Deps, siteId: string, { page, per_page, ...filter }: AuditQuery) {
  const { action, actor_id, record_id, created_from, created_before } = filter;
  const entries = database.em.getKysely().selectFrom('audit_log').select(namesOf(AuditEntry));
  const rows = entries.where('site_id', '=', siteId);
  const where = [
    ...(action ? [sql<SqlBool>`action = any(${action}::text[])`] : []),
    ...(actor_id === undefined ? [] : [sql<SqlBool>`actor ->> 'id' = ${actor_id}`]),
    ...(record_id === undefined ? [] : [sql<SqlBool>`record_id = ${record_id}`]),
    ...(created_from === undefined ? [] : [sql<SqlBool>`created >= ${toDate(created_from)}`]),
    ...(created_before === undefined ? [] : [sql<SqlBool>`created < ${toDate(created_before)}`]),
  ];
  return newestPage({ database, siteId, rows, where }, { page, per_page });
}
