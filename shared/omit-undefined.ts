import { keysOf, tableOf } from './contract/names-of.ts';

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Only what was really given: over RPC a field can be present and undefined. */
export const omitUndefined = <T extends object>(values: T) =>
  tableOf<Defined<T>>(
    keysOf(values).flatMap((name) => {
      const value = values[name];
      return isGiven(value) ? [[name, value] as const] : [];
    }),
  );

const isGiven = <V>(value: V): value is Exclude<V, undefined> => value !== undefined;
