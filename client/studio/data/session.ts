import { z } from 'zod';
import { keysOf } from '../../../shared/contract/names-of.ts';
import { Role } from '../../../shared/contract/roles.ts';
import { createClient } from '../../sdk/index.ts';
import type { Account, tabStorage } from '../ui/browser-storage.ts';
import { createStore } from '../ui/store.ts';

export const Session = z.object({
  token: z.string(),
  email: z.string(),
  name: z.string(),
  ownerId: z.string(),
  siteId: z.string(),
  // Sessions that were stored before roles existed have no role.
  role: Role.default('owner'),
});

/** Session of a signed-in user, as stored in the browser. */
export type Session = z.output<typeof Session>;

/**
 * State of a session. `ended`: the service no longer accepts the token. The screen stays, so that nothing typed is lost, and
 * a dialog in front asks for the password.
 */
export type SessionState = { is: 'out' } | { is: 'in'; session: Session } | { is: 'ended'; session: Session };

export type SessionStore = ReturnType<typeof createSessionStore>;

const name = 'session';

/** Creates a client of the service that the page came from. Without a token in `options`, its calls are signed out. */
export const serviceFor = (options: Omit<Parameters<typeof createClient>[0], 'baseUrl'> = {}) =>
  createClient({ baseUrl: window.location.origin, ...options });

/**
 * Creates a client for sign-in and emailed links. Rate limits are reported instead of waited for, because the user is
 * waiting.
 */
export const doorFor: typeof serviceFor = (options) => serviceFor({ waitsForLimits: false, ...options });

/** Fetches the data of a new session. Rejects with the service's error, `unauthorized` if the token is not valid. */
export async function sessionOf(token: string): Promise<Session> {
  const { owner, role, site } = await serviceFor({ ownerToken: token }).admin.session.get.query();
  return { token, email: owner.email, name: owner.name, ownerId: owner.id, siteId: site.id, role };
}

/**
 * Creates the session store of a tab.
 *
 * States and transitions:
 * - `out` to `in`: `begin`, the first sign-in of this page.
 * - `in` to `ended`: `refused`, when the service answers 401. Requests wait.
 * - `ended` to `in`: `begin` with the same account. Waiting requests are sent with the new token.
 * - any to `out`: `leave`.
 *
 * The session is kept in memory and in session storage, which ends with the tab. A page's memory belongs to one account: if
 * another account begins, or after `leave` and `makeRoom`, `loadAnew` reloads the page.
 */
export function createSessionStore(storage: ReturnType<typeof tabStorage>, loadAnew: () => void) {
  const stored = storage.read(name, Session);
  const { get, set, subscribe } = createStore<SessionState>(
    stored ? { is: 'in', session: stored } : { is: 'out' },
  );
  /** The last session that this page belonged to. */
  let last = stored;
  // The router stores scroll positions when the page is left, so they may be from a session that has ended.
  if (!stored) storage.clear();
  return {
    get,
    subscribe,
    begin(session: Session) {
      const goesOn = !last || (get().is === 'ended' && isSameAccount(last, session));
      storage.write(name, session);
      if (!goesOn) return loadAnew();
      last = session;
      set({ is: 'in', session });
    },
    /** Updates the stored user, who may have been changed in another browser. */
    note(said: Pick<Session, 'email' | 'name' | 'role'>) {
      const state = get();
      if (state.is === 'out' || keysOf(said).every((key) => said[key] === last?.[key])) return;
      last = { ...state.session, ...said };
      storage.write(name, last);
      set({ is: state.is, session: last });
    },
    leave() {
      storage.clear();
      set({ is: 'out' });
      loadAnew();
    },
    /**
     * Removes the session for another user. The screen stays until the page unloads: the browser asks before typed text is
     * lost.
     */
    makeRoom() {
      storage.clear();
      loadAnew();
    },
    /** True if the tab still has this session. Another page of the tab may have ended it, or begun another. */
    isCurrent: () => {
      const state = get();
      return storage.read(name, Session)?.token === (state.is === 'out' ? undefined : state.session.token);
    },
    /**
     * Reports that the service refused `token`. Resolves as soon as there is another session or the user has signed
     * out, immediately if that is already the case.
     */
    async refused(token: string): Promise<void> {
      const state = get();
      if (state.is === 'in' && state.session.token === token) set({ is: 'ended', session: state.session });
      if (get().is !== 'ended') return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const stop = subscribe(() => {
        if (get().is === 'ended') return;
        stop();
        resolve();
      });
      await promise;
    },
  };
}

const isSameAccount = (one: Account, other: Account) =>
  one.ownerId === other.ownerId && one.siteId === other.siteId;

/**
 * Wraps `send` to add the session's token. After a 401, the request waits until the user has signed in again and is then
 * sent with the new token. If they sign out instead, the 401 is returned.
 */
export const sessionFetch =
  (sessions: SessionStore, send: typeof fetch = fetch): typeof fetch =>
  async (url, init) => {
    const token = tokenOf(sessions);
    const answer = await send(url, withToken(init, token));
    if (answer.status !== 401) return answer;
    await sessions.refused(token);
    const renewed = tokenOf(sessions);
    return renewed ? send(url, withToken(init, renewed)) : answer;
  };

function tokenOf(sessions: SessionStore): string {
  const state = sessions.get();
  return state.is === 'out' ? '' : state.session.token;
}

function withToken(init: RequestInit | undefined, token: string): RequestInit {
  const headers = new Headers(init?.headers);
  headers.set('Authorization', `Bearer ${token}`);
  return { ...init, headers };
}

/**
 * Hides a page that enters the back/forward cache. When it returns, it is shown only to the same session; otherwise the
 * studio loads again.
 */
export function hidePastPages(sessions: SessionStore): void {
  const page = document.documentElement;
  window.addEventListener('pagehide', ({ persisted }) => {
    if (persisted) page.hidden = true;
  });
  window.addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return;
    if (sessions.isCurrent()) page.hidden = false;
    else window.location.replace('/studio');
  });
}
