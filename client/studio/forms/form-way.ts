import type { Input, Way } from './form-values.ts';

/** What has the moment of its last write for a revision. */
interface Dated {
  updated: Date;
}

interface Updates<Edited, Values> {
  valuesOf(edited: Edited): Values;
  /** Reads it as it is now. */
  read(): Promise<Edited>;
  update(input: Input, options: { ifMatch?: string | undefined }): Promise<unknown>;
}

/** How a form changes what is there. */
export function changeOf<Edited extends Dated, Values>(
  edited: Edited,
  { valuesOf, read, update }: Updates<Edited, Values>,
) {
  return {
    tag: tagOf(edited),
    read: async () => {
      const now = await read();
      return { values: valuesOf(now), tag: tagOf(now) };
    },
    write: update,
  };
}

const tagOf = ({ updated }: Dated) => `"${updated.getTime()}-"`;

interface RowWrites<Edited, Values, Made> extends Pick<Updates<Edited, Values>, 'valuesOf' | 'update'> {
  /** Names what is made. */
  name: string;
  read(id: string): Promise<Edited>;
  create(input: Input, options: { idempotencyKey: string }): Promise<Made>;
}

/** How a form makes a row, or changes the one that is there. */
export function wayOf<Edited extends Dated & { id: string }, Values, Made extends { id: string }>(
  edited: Edited | null,
  { name, valuesOf, read, create, update }: RowWrites<Edited, Values, Made>,
): Way<Values, Made> {
  if (!edited)
    return { make: { name, send: create, change: ({ id }, input) => update({ id, ...input }, {}) } };
  const { id } = edited;
  return {
    change: changeOf(edited, {
      valuesOf,
      read: () => read(id),
      update: (input, options) => update({ id, ...input }, options),
    }),
  };
}
