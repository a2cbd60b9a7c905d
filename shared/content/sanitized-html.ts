/** The entities that the sanitizer writes. */
const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };

/** Decodes a text or an attribute value of sanitized HTML. */
export const withoutEntities = (text: string): string =>
  text.replace(/&(lt|gt|quot|#39|amp);/g, (entity, name: string) => entities[name] ?? entity);

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Encodes a text for HTML, inside or outside of a quoted attribute. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (mark) => escapes[mark] ?? mark);

/** Absolute form of an address in a body. Null for an empty address and for one that cannot be parsed. */
function absoluteUrl(address: string, base: string): string | null {
  if (address === '') return null;
  return URL.parse(address, base)?.href ?? null;
}

/**
 * Sanitized HTML for use outside of its page, such as in feeds and mail: each address is absolute, relative to `base`.
 * An attribute whose address cannot be parsed is removed. Code that shows a tag stays, since its `<` is escaped.
 */
export const withAbsoluteUrls = (html: string, base: string): string =>
  html.replace(/<[a-z][^>]*>/gi, (tag) =>
    tag.replace(/ (href|src|poster|srcset)="([^"]*)"/g, (_, name: string, value: string) => {
      const address = absoluteValue(name, withoutEntities(value), base);
      return address === null ? '' : ` ${name}="${escapeHtml(address)}"`;
    }),
  );

/** Absolute form of the value of an attribute that contains one address, or several if its name is `srcset`. */
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
