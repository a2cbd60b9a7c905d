import type { Input, Way } from './form-values.ts';
import { tagOf } from './write-on-top.ts';

interface Row {
  id: string;
  updated: Date;
}

interface RowUpdates<Edited, Values> {
  valuesOf(row: Edited): Values;
  /** Reads one as it is now. */
  read(id: string): Promise<Edited>;
  update(input: Input, options: { ifMatch?: string | undefined }): Promise<unknown>;
}

interface RowWrites<Edited, Values, Made> extends RowUpdates<Edited, Values> {
  /** Names what is made. */
  name: string;
  create(input: Input, options: { idempotencyKey: string }): Promise<Made>;
}

/** How a form changes a row. */
export function changeOf<Edited extends Row, Values>(
  { id, updated }: Edited,
  { valuesOf, read, update }: RowUpdates<Edited, Values>,
) {
  return {
    tag: tagOf(updated),
    read: async () => {
      const row = await read(id);
      return { values: valuesOf(row), tag: tagOf(row.updated) };
    },
    write: (input: Input, options: { ifMatch?: string | undefined }) => update({ id, ...input }, options),
  };
}

/** How a form makes a row, or changes the one that is there. */
export function wayOf<Edited extends Row, Values, Made extends { id: string }>(
  edited: Edited | null,
  writes: RowWrites<Edited, Values, Made>,
): Way<Values, Made> {
  if (edited) return { change: changeOf(edited, writes) };
  const { name, create, update } = writes;
  return { make: { name, send: create, change: ({ id }, input) => update({ id, ...input }, {}) } };
}
