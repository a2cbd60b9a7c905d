/** A signed-in owner's session, as it is kept in the browser. */
export interface Session {
  token: string;
  email: string;
  name: string;
}

/**
 * `ended`: the service no longer takes the token. The screen stays as it is, so that nothing typed is lost, and the
 * password is asked for in front of it.
 */
export type SessionState = { is: 'out' } | { is: 'in'; session: Session } | { is: 'ended'; session: Session };

export type SessionStore = ReturnType<typeof createSessionStore>;

const storageKey = 'studio:session';

/** Holds the session in memory, and in a storage that ends with the browser's tab. */
export function createSessionStore(storage: Storage) {
  let state = stored(storage);
  const listeners = new Set<() => void>();
  const become = (next: SessionState) => {
    state = next;
    for (const listener of listeners) listener();
  };
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    get: () => state,
    subscribe,
    begin(session: Session) {
      storage.setItem(storageKey, JSON.stringify(session));
      become({ is: 'in', session });
    },
    leave() {
      storage.removeItem(storageKey);
      become({ is: 'out' });
    },
    /** Says that `token` is no longer taken. Resolves once there is another session, or none is wanted. */
    async refused(token: string): Promise<void> {
      if (state.is === 'in' && state.session.token === token) become({ is: 'ended', session: state.session });
      if (state.is !== 'ended') return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const stop = subscribe(() => {
        if (state.is === 'ended') return;
        stop();
        resolve();
      });
      await promise;
    },
  };
}

function stored(storage: Storage): SessionState {
  try {
    const found: unknown = JSON.parse(storage.getItem(storageKey) ?? 'null');
    return isSession(found) ? { is: 'in', session: found } : { is: 'out' };
  } catch {
    return { is: 'out' };
  }
}

const isSession = (value: unknown): value is Session =>
  typeof value === 'object' &&
  value !== null &&
  'token' in value &&
  typeof value.token === 'string' &&
  'email' in value &&
  typeof value.email === 'string' &&
  'name' in value &&
  typeof value.name === 'string';
