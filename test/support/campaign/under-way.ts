import type { Field } from './field.ts';
import type { FaultName } from './size.ts';

/** Attempt that was in progress during a fault, by the database's clock (Unix time in ms). */
export interface Note {
  fault: FaultName;
  id: string;
  attempt: number;
  leaseUntilMs: number;
  atMs: number;
}

/** Notes the attempts in progress when a fault strikes. Only their deliveries may be sent more than once. */
export function createNotes({ query }: Field) {
  const notes: Note[] = [];
  return {
    notes,
    async take(fault: FaultName) {
      const rows = await query<Omit<Note, 'fault'>>(`
        select id, attempt_count as attempt, (extract(epoch from lease_until) * 1000)::float8 as "leaseUntilMs",
          (extract(epoch from clock_timestamp()) * 1000)::float8 as "atMs"
        from webhook_deliveries where lease_until is not null`);
      notes.push(...rows.map((row) => ({ fault, ...row })));
    },
  };
}

export type Notes = ReturnType<typeof createNotes>;
