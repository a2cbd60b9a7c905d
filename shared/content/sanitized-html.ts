/** Entities that the sanitizer writes, with their characters. */
const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };

/** Decodes a text or an attribute value of sanitized HTML. */
export const withoutEntities = (text: string): string =>
  text.replace(/&(lt|gt|quot|#39|amp);/g, (entity, name: string) => entities[name] ?? entity);

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Encodes a text for HTML, inside or outside of a quoted attribute. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (mark) => escapes[mark] ?? mark);

/** Returns the absolute form of a URL in a body; null if it is empty or cannot be parsed. */
function absoluteUrl(address: string, base: string): string | null {
  if (address === '') return null;
  return URL.parse(address, base)?.href ?? null;
}

/**
 * Returns sanitized HTML for use outside of its page, such as in feeds and email: URLs are absolute, relative to
 * `base`. An attribute whose URL cannot be parsed is removed. Code that shows a tag stays unchanged, because its `<` is
 * escaped.
 */
export const withAbsoluteUrls = (html: string, base: string): string =>
  html.replace(/<[a-z][^>]*>/gi, (tag) =>
    tag.replace(/ (href|src|poster|srcset)="([^"]*)"/g, (_, name: string, value: string) => {
      const address = absoluteValue(name, withoutEntities(value), base);
      return address === null ? '' : ` ${name}="${escapeHtml(address)}"`;
    }),
  );

/**
 * Returns the absolute form of an attribute's value, which contains one URL, or several for `srcset`. URLs that cannot
 * be parsed are left out. Null if none remains.
 */
export function absoluteValue(name: string, value: string, base: string): string | null {
  if (name.toLowerCase() !== 'srcset') return absoluteUrl(value, base);
  const candidates = value.split(/,\s+/).flatMap((candidate) => {
    const [address = '', ...descriptors] = candidate.trim().split(/\s+/);
    const absolute = absoluteUrl(address, base);
    return absolute === null ? [] : [[absolute, ...descriptors].join(' ')];
  });
  return candidates.length === 0 ? null : candidates.join(', ');
}

/** Returns a text as HTML that shows it exactly as written. */
export const asWritten = (content: string): string =>
  `<pre>${content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</pre>`;
