const here = 'http://here.invalid';

/**
 * Returns path and query of an untrusted address on this site; null if it may point to another host. The result is safe
 * also when it is resolved again: `/..//other.example` is a path, whose own path is another host.
 */
export function ownPath(text: string): string | null {
  if (!text.startsWith('/') || !URL.canParse(text, here)) return null;
  const { origin, pathname, search } = new URL(text, here);
  const isOwn = origin === here && /^\/(?![/\\])/.test(pathname) && !pathname.includes('\\');
  return isOwn ? pathname + search : null;
}
