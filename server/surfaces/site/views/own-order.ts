interface Ordered {
  sort_order: number;
  /** When it was, as far as it is known; null for no date. */
  date?: string | null;
}

/** Records of a list that begins with the newest as their owner ordered them: the newest first where that says nothing. */
export const inOwnOrder = <T extends Ordered>(records: readonly T[]): T[] =>
  records.toSorted((a, b) => a.sort_order - b.sort_order || laterFirst(a.date ?? '', b.date ?? ''));

/** Dates are told by year, month and day in this order, so that their texts compare as they do. */
const laterFirst = (a: string, b: string) => (a < b ? 1 : a > b ? -1 : 0);
