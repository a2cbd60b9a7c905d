const path = /^\/studio\/connect\/([^/]+)$/;
const signInHere = '?sign-in';

/** What somebody is asked by the page's address: to let an assistant in. Null on all other pages. */
export const askedToConnect = (): string | null => path.exec(window.location.pathname)?.[1] ?? null;

/** Whether a session of another tab will do: not where somebody chose to sign in as somebody else. */
export const mayBorrow = (): boolean => window.location.search !== signInHere;

/** Where whoever signs in next begins. */
export const pathOfAnew = (): string =>
  askedToConnect() ? `${window.location.pathname}${signInHere}` : '/studio';
