import type { SessionStore } from './session.ts';

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
