import { useState } from 'react';
import type { OwnRecord } from '../../data/records.ts';

/** Records that were chosen from a list, on whichever of its pages. */
export function useChosen() {
  const [chosen, setChosen] = useState<ReadonlyMap<string, OwnRecord>>(new Map());
  const change = (work: (next: Map<string, OwnRecord>) => void) =>
    setChosen((current) => {
      const next = new Map(current);
      work(next);
      return next;
    });
  return {
    chosen,
    toggle: (record: OwnRecord) =>
      change((next) => {
        if (!next.delete(record.id)) next.set(record.id, record);
      }),
    /** All of these, or none of them when all are chosen already. */
    toggleAll: (records: readonly OwnRecord[]) =>
      change((next) => {
        const all = records.every(({ id }) => next.has(id));
        for (const record of records) {
          if (all) next.delete(record.id);
          else next.set(record.id, record);
        }
      }),
    clear: () => setChosen(new Map()),
  };
}
