import { z } from 'zod';
import { Session, type SessionStore } from './session.ts';

// New tabs, such as one opened by an assistant, begin without a session. Only pages of the studio's origin receive messages
// of this channel.
const channelName = 'studio:session';

const Message = z.discriminatedUnion('is', [
  z.object({ is: z.literal('asked') }),
  z.object({ is: z.literal('lent'), session: Session }),
]);
type Message = z.output<typeof Message>;

/** Time for other tabs to answer, in milliseconds. They answer immediately unless the browser has suspended them. */
const waitMs = 400;

/** Answers requests of other tabs with this tab's session. */
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
  // Browsers do not keep a page with an open channel in the back/forward cache.
  window.addEventListener('pagehide', () => channel?.close());
  window.addEventListener('pageshow', ({ persisted }) => persisted && listen());
}

/**
 * Signs in with the session of another tab of this browser. Does nothing if this tab has a session, if no tab answers
 * within 400 ms, or if the browser forbids channels between tabs.
 */
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

/** Opens the channel; returns null if the browser forbids it. */
function open(): BroadcastChannel | null {
  try {
    return new BroadcastChannel(channelName);
  } catch {
    return null;
  }
}
