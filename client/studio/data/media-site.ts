import { mediaSiteCookie } from '../../../shared/contract/features/media.ts';
import type { SessionStore } from './session.ts';

/**
 * Says by a cookie whose files are wanted, for where the studio stands at an address that is no site's own: pictures go out
 * without the session. Tabs of several sites share it, so each says so anew when it comes to the front.
 */
export function nameMediaSite({ get, subscribe }: SessionStore) {
  const name = () => {
    const state = get();
    if (state.is === 'out') return;
    const { siteId } = state.session;
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is only there over HTTPS.
    document.cookie = `${mediaSiteCookie}=${siteId}; Path=/media; SameSite=Strict`;
  };
  name();
  subscribe(name);
  window.addEventListener('focus', name);
}
