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
  // Of sessions from before there were roles.
  role: Role.default('owner'),
});

/** A signed-in owner's session, as it is kept in the browser. */
export type Session = z.output<typeof Session>;

/**
 * `ended`: the service no longer takes the token. The screen stays as it is, so that nothing typed is lost, and the
 * password is asked for in front of it.
 */
export type SessionState = { is: 'out' } | { is: 'in'; session: Session } | { is: 'ended'; session: Session };

export type SessionStore = ReturnType<typeof createSessionStore>;

const name = 'session';

/** The service that the page came from, as nobody unless the options say as whom. */
export const serviceFor = (options: Omit<Parameters<typeof createClient>[0], 'baseUrl'> = {}) =>
  createClient({ baseUrl: window.location.origin, ...options });

/** The same for who signs in, or comes by a link: they wait for it, and are told how long a limit makes them wait. */
export const doorFor: typeof serviceFor = (options) => serviceFor({ waitsForLimits: false, ...options });

/** All that the browser keeps of a session that has begun. */
export async function sessionOf(token: string): Promise<Session> {
  const { owner, role, site } = await serviceFor({ ownerToken: token }).admin.session.get.query();
  return { token, email: owner.email, name: owner.name, ownerId: owner.id, siteId: site.id, role };
}

/**
 * Holds the session in memory, and in a storage that ends with the browser's tab. What a page has in memory belongs to one
 * account: `loadAnew` is called where the next one is to find none of it.
 */
export function createSessionStore(storage: ReturnType<typeof tabStorage>, loadAnew: () => void) {
  const stored = storage.read(name, Session);
  const { get, set, subscribe } = createStore<SessionState>(
    stored ? { is: 'in', session: stored } : { is: 'out' },
  );
  /** The last one that this page has belonged to. */
  let last = stored;
  // The router notes where screens were scrolled to as the page goes, which is after somebody has left.
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
    /** Notes what the service says by now of who is signed in: another of their browsers may have changed it. */
    note(said: Pick<Session, 'email' | 'name' | 'role'>) {
      const state = get();
      if (state.is === 'out' || keysOf(said).every((key) => said[key] === last?.[key])) return;
      last = { ...state.session, ...said };
      storage.write(name, last);
      set({ is: state.is, session: last });
    },
    /** Ends it for good. */
    leave() {
      storage.clear();
      set({ is: 'out' });
      loadAnew();
    },
    /** Makes room for somebody else. The screen stays until the page goes: the browser asks before typed text is lost. */
    makeRoom() {
      storage.clear();
      loadAnew();
    },
    /** Whether it is still the one that the tab has: another page of the tab may have ended it, or begun one. */
    isCurrent: () => {
      const state = get();
      return storage.read(name, Session)?.token === (state.is === 'out' ? undefined : state.session.token);
    },
    /** Says that `token` is no longer taken. Resolves once there is another session, or none is wanted. */
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
 * `send` with the owner's token. When the service no longer takes it, the request waits until the owner has signed in
 * again and is then sent with the new one: whoever asked never learns of it.
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
 * Browsers keep pages whole, and bring them back by Back and Forward as they were. This one is hidden as it goes, and shown
 * again only to the session that it was left in; any other gets a page of its own.
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
