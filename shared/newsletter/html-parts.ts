import { withAbsoluteUrls, withoutEntities } from '../content/sanitized-html.ts';

/** Part of sanitized HTML: a tag or a text. */
export type HtmlPart =
  | { kind: 'text'; text: string }
  | { kind: 'open'; tag: string; attributes: Readonly<Record<string, string>> }
  | { kind: 'close'; tag: string };

const part = /<(\/?)([a-z][a-z0-9]*)((?: [a-z-]+(?:="[^"]*")?)*) ?\/?>|([^<]+|<)/gi;

/** Splits sanitized HTML into parts, in order. Entities in attribute values and texts are decoded. */
function* htmlParts(html: string): Generator<HtmlPart> {
  for (const [, slash, tag, attributes = '', text] of html.matchAll(part)) {
    if (tag === undefined) yield { kind: 'text', text: withoutEntities(text ?? '') };
    else if (slash) yield { kind: 'close', tag };
    else yield { kind: 'open', tag, attributes: attributesOf(attributes) };
  }
}

const attributesOf = (text: string) =>
  Object.fromEntries(
    [...text.matchAll(/ ([a-z-]+)(?:="([^"]*)")?/gi)].map(([, name = '', value = '']) => [
      name,
      withoutEntities(value),
    ]),
  );

/**
 * Yields the tags and texts of a body in their order, for email. URLs are absolute. Footnotes lose their links, because
 * mail programs do not support links within an email.
 */
export const mailedParts = (html: string, base: string): Generator<HtmlPart> =>
  htmlParts(withAbsoluteUrls(html.replace(backLink, '').replace(footnoteLink, '$1$2'), base));

const backLink = /<a (?:[^>]* )?class="footnote-backref"[^>]*>[^<]*<\/a>/g;
const footnoteLink = /(<sup class="footnote-ref">)<a [^>]*>([^<]*)<\/a>/g;
