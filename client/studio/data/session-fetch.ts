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

/** What `../early.ts` has asked for while this code was on the way. */
interface EarlyRequest {
  url: string;
  authorization: string;
  /** Null when it got lost. */
  answer: Promise<Response | null>;
}

declare global {
  var earlyRequest: EarlyRequest | undefined;
}

/** `send`, or the answer to the very request that the page has sent by itself, which is taken once. */
export const earlyFetch =
  (send: typeof fetch): typeof fetch =>
  async (url, init) => {
    const early = globalThis.earlyRequest;
    const isSame =
      early?.url === String(url) && early.authorization === new Headers(init?.headers).get('authorization');
    if (!isSame) return send(url, init);
    globalThis.earlyRequest = undefined;
    return (await early.answer) ?? send(url, init);
  };
