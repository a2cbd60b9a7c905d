import { mediaSiteCookie } from '../../../shared/contract/features/media.ts';
import { setCookie } from '../ui/browser-storage.ts';
import type { SessionStore } from './session.ts';

/**
 * Says by a cookie whose files are wanted, for where the studio stands at an address that is no site's own: pictures go out
 * without the session. Tabs of several sites share it, so each says so anew when it comes to the front.
 */
export function nameMediaSite({ get, subscribe }: SessionStore) {
  const name = () => {
    const state = get();
    if (state.is === 'out') return;
    setCookie({ name: mediaSiteCookie, value: state.session.siteId, path: '/media' });
  };
  name();
  subscribe(name);
  window.addEventListener('focus', name);
  document.addEventListener('visibilitychange', name);
}
