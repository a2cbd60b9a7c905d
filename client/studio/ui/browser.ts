// What browsers have for pages of secure contexts alone is asked for here: the studio is opened over plain http, too.

/** 128 random bits. Not `randomUUID`, which pages served over plain http don't have. */
export const randomId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );

/** Copies a text. Gives false where the browser lets no page do that; then somebody has to. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyByCommand(text);
  }
}

/** The older way, which plain http allows as well. */
function copyByCommand(text: string): boolean {
  const put = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
  };
  document.addEventListener('copy', put);
  try {
    return document.execCommand('copy');
  } finally {
    document.removeEventListener('copy', put);
  }
}

/**
 * Holds a name until what it gives is called, or the page is gone. Gives null while another page has it. Over plain http,
 * where pages have no locks, each gets what it asks for.
 */
export function holdLock(name: string): Promise<(() => void) | null> {
  const { promise, resolve } = Promise.withResolvers<(() => void) | null>();
  const holdUntilReleased = (lock: Lock | null) => {
    if (!lock) return resolve(null);
    const released = Promise.withResolvers<void>();
    resolve(released.resolve);
    return released.promise;
  };
  if (!('locks' in navigator)) return Promise.resolve(() => {});
  navigator.locks.request(name, { ifAvailable: true }, holdUntilReleased).catch(() => resolve(() => {}));
  return promise;
}

/** Whether this browser has passkeys for the page's host, which has to have a name. */
export const hasPasskeys = (): boolean =>
  window.isSecureContext &&
  typeof window.PublicKeyCredential === 'function' &&
  !/^[\d.]+$|:/.test(window.location.hostname);
