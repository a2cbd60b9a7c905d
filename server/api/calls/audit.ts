import { z } from 'zod';
import type { Actor } from '../../../shared/contract/history.ts';
import { newRecordId } from '../../../shared/contract/record-id.ts';
import type { Transaction } from '../../../shared/db/config.ts';
import type { Context } from '../context.ts';
import type { StoreDeps } from '../deps.ts';
import type { Procedure, Result } from '../procedures.ts';
import { inTransaction, joined } from '../transaction.ts';

interface AuditedCall {
  procedure: Procedure;
  ctx: Context;
  input: unknown;
}

/**
 * Runs a call and writes its audit entry in one transaction: each change has an entry, and failed calls have none. Calls
 * that reach the network cannot run in a transaction; their entry is written afterwards. Throws the error of a call that
 * failed in the transaction. A failed call to the network is returned as a `Result` instead. Throws an `Error` if `ctx` has
 * no site.
 */
export async function audited(
  { procedure, ctx, input }: AuditedCall,
  work: (ctx: Context) => Promise<Result>,
): Promise<Result> {
  const { siteId } = ctx;
  if (siteId === undefined) throw new Error(`${procedure.name}: the site is not set`);
  if (procedure.meta.reachesOut) {
    const result = await work(ctx);
    if (result.ok) await note(ctx.deps.database.em, { procedure, ctx, input }, result.data);
    return result;
  }
  return inTransaction(ctx.deps, siteId, async (em) => {
    const result = await work({ ...ctx, deps: joined(ctx.deps, siteId, em) });
    // Throwing rolls the transaction back.
    if (!result.ok) throw result.error;
    await note(em, { procedure, ctx, input }, result.data);
    return result;
  });
}

/** Inputs and outputs that contain the id of the changed record. */
const Named = z.object({ id: z.string() });

async function note(em: Transaction, { procedure, ctx, input }: AuditedCall, output: unknown) {
  const { siteId, actor, deps } = ctx;
  if (siteId === undefined || !actor) throw new Error(`${procedure.name}: the site or the actor is not set`);
  await writeEntry(em, deps, {
    siteId,
    actor,
    action: procedure.name,
    recordId: (Named.safeParse(input).data ?? Named.safeParse(output).data)?.id,
    changed: procedure.name.endsWith('.update') ? changedBy(input) : [],
  });
}

export interface AuditEntry {
  siteId: string;
  actor: Actor;
  /** Name of a procedure or of an operator command. */
  action: string;
  /** Id of the changed record, if it has one. */
  recordId?: string | undefined;
  /** Fields that an update contained. */
  changed?: string[];
}

/** Writes an entry in the transaction `em`, which is that of the change. */
export async function writeEntry(
  em: Transaction,
  { clock, randomBytes }: StoreDeps,
  { siteId, actor, action, recordId, changed = [] }: AuditEntry,
) {
  const created = clock.now();
  await em
    .getKysely()
    .insertInto('audit_log')
    .values({
      site_id: siteId,
      id: newRecordId(created, randomBytes),
      created,
      actor,
      action,
      record_id: recordId ?? null,
      changed,
    })
    .execute();
}

const changedBy = (input: unknown) =>
  Object.entries(z.record(z.string(), z.unknown()).catch({}).parse(input)).flatMap(([name, value]) =>
    name === 'id' || value === undefined ? [] : [name],
  );
