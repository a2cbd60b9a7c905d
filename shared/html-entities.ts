/** The entities that the sanitizer writes. */
const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };

/** Decodes a text or an attribute value of sanitized HTML. */
export const withoutEntities = (text: string): string =>
  text.replace(/&(lt|gt|quot|#39|amp);/g, (entity, name: string) => entities[name] ?? entity);

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Encodes a text for HTML, inside or outside of a quoted attribute. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (mark) => escapes[mark] ?? mark);
