import type { SessionStore } from '../../data/session.ts';

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
