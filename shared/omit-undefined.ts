type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Only what was really given: over RPC a field can be present and undefined. */
// `Object.entries` loses the types of the values by their names.
export const omitUndefined = <T extends object>(values: T) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>;
