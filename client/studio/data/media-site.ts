import { mediaSiteCookie } from '../../../shared/contract/features/media.ts';
import { setCookie } from '../ui/browser-storage.ts';
import type { SessionStore } from './session.ts';

/**
 * Says by a cookie whose files are wanted, for where the studio stands at an address that is no site's own: pictures go out
 * without the session.
 */
export function nameMediaSite({ get, subscribe }: SessionStore) {
  const name = () => {
    const state = get();
    if (state.is === 'out') return;
    setCookie({ name: mediaSiteCookie(state.session.siteId), value: '1', path: '/media' });
  };
  name();
  subscribe(name);
}
