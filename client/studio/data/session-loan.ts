import { z } from 'zod';
import { Session, type SessionStore } from './session.ts';

// Tabs that others open, an assistant's for one, begin without a session. Only pages of the studio's own origin hear this.
const channelName = 'studio:session';

const Message = z.discriminatedUnion('is', [
  z.object({ is: z.literal('asked') }),
  z.object({ is: z.literal('lent'), session: Session }),
]);
type Message = z.output<typeof Message>;

/** How long the other tabs have to answer: they do at once, unless there are none or the browser has put them to rest. */
const waitMs = 400;

/** Lends this tab's session to those that ask for one. */
export function lendSession(sessions: SessionStore): void {
  let channel: BroadcastChannel | null = null;
  const listen = () => {
    channel = open();
    channel?.addEventListener('message', ({ data }) => {
      const state = sessions.get();
      if (Message.safeParse(data).data?.is !== 'asked' || state.is !== 'in') return;
      channel?.postMessage({ is: 'lent', session: state.session } satisfies Message);
    });
  };
  listen();
  // Browsers bring no page back whole that has listened all the while.
  window.addEventListener('pagehide', () => channel?.close());
  window.addEventListener('pageshow', ({ persisted }) => persisted && listen());
}

/** Begins with the session of another tab, if there is one. */
export async function borrowSession(sessions: SessionStore): Promise<void> {
  if (sessions.get().is !== 'out') return;
  const channel = open();
  if (!channel) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, waitMs);
  channel.addEventListener('message', ({ data }) => {
    const message = Message.safeParse(data).data;
    if (message?.is !== 'lent' || sessions.get().is !== 'out') return;
    sessions.begin(message.session);
    resolve();
  });
  channel.postMessage({ is: 'asked' } satisfies Message);
  await promise;
  clearTimeout(timer);
  channel.close();
}

/** Null where the browser lets pages have none. */
function open(): BroadcastChannel | null {
  try {
    return new BroadcastChannel(channelName);
  } catch {
    return null;
  }
}
