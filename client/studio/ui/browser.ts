// Browser features that need a secure context, with replacements: the studio also runs over plain HTTP.

/** Returns 128 random bits in hex. `randomUUID` is missing on plain HTTP. */
export const randomId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );

/** Copies a text. Returns false if the browser forbids it, so that the user has to copy it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyByCommand(text);
  }
}

/** Copies by the older command, which plain HTTP allows as well. */
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
 * Locks a name until the returned function is called or the page unloads. Returns null while another page has the lock. On
 * plain HTTP, which has no locks, every caller succeeds.
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

/** True if the browser supports passkeys for the page's host, which must be a name and not an IP address. */
export const hasPasskeys = (): boolean =>
  window.isSecureContext &&
  typeof window.PublicKeyCredential === 'function' &&
  !/^[\d.]+$|:/.test(window.location.hostname);
