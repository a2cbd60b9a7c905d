/** A part of safe HTML. */
export type HtmlPart =
  | { kind: 'text'; text: string }
  | { kind: 'open'; tag: string; attributes: Readonly<Record<string, string>> }
  | { kind: 'close'; tag: string };

const part = /<(\/?)([a-z][a-z0-9]*)((?: [a-z-]+(?:="[^"]*")?)*) ?\/?>|([^<]+|<)/gi;

/** What the sanitiser wrote, part by part. Values of attributes and texts have no entities any more. */
export function* htmlParts(html: string): Generator<HtmlPart> {
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

/** Those that the sanitiser writes. */
const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };

const withoutEntities = (text: string) =>
  text.replace(/&(lt|gt|quot|#39|amp);/g, (entity, name: string) => entities[name] ?? entity);

/** An address of a body as it is good everywhere; null for one that leads nowhere, or only to another place of the body. */
export function absoluteUrl(address: string, base: string): string | null {
  if (address === '' || address.startsWith('#') || !URL.canParse(address, base)) return null;
  return new URL(address, base).href;
}

/** Whether a link leads from a footnote back into the text: in a mail there are no places to go to. */
export const isFootnoteBackref = (attributes: Readonly<Record<string, string>>): boolean =>
  /\bfootnote-backref\b/.test(attributes.class ?? '');
