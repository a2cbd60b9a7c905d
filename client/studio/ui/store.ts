import { useSyncExternalStore } from 'react';

export type Store<State> = ReturnType<typeof createStore<State>>;

/** Creates a store: a value that changes over time, with listeners. */
export function createStore<State>(initial: State) {
  let state = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => state,
    set: (next: State) => {
      state = next;
      for (const listener of listeners) listener();
    },
    /** Calls `listener` after each change. Returns a function that stops it. */
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Returns the value of a store, and renders again when it changes. */
export const useStore = <State>({ get, subscribe }: Pick<Store<State>, 'get' | 'subscribe'>): State =>
  useSyncExternalStore(subscribe, get);
