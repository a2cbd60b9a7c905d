const here = 'http://here.invalid';

/**
 * Where on this site an address leads that somebody else wrote; null for one that leads elsewhere. What counts is where it
 * leads once a browser has read it, and once more: `/..//other.example` is a path, whose path is another host.
 */
export function ownPath(text: string): string | null {
  if (!text.startsWith('/') || !URL.canParse(text, here)) return null;
  const { origin, pathname, search } = new URL(text, here);
  const isOwn = origin === here && /^\/(?![/\\])/.test(pathname) && !pathname.includes('\\');
  return isOwn ? pathname + search : null;
}
