import { XMLParser } from 'fast-xml-parser';
import { z } from 'zod';

export const createItemParser = () =>
  new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    textNodeName: '#text',
    parseTagValue: false,
    trimValues: false,
    isArray: (name) => ['category', 'wp:comment', 'wp:postmeta'].includes(name),
  });

/** Text of an XML element. The parser returns an object for an element with attributes. */
const text = z
  .union([z.string(), z.object({ '#text': z.string().optional() }).transform((tag) => tag['#text'] ?? '')])
  .default('');

const Category = z.object({
  '#text': z.string().default(''),
  '@domain': z.string().default('category'),
  '@nicename': z.string().default(''),
});

const Item = z.object({
  title: text,
  link: text,
  guid: text,
  'dc:creator': text,
  'content:encoded': text,
  'excerpt:encoded': text,
  'wp:post_id': text,
  'wp:post_name': text,
  'wp:status': text,
  'wp:post_type': text,
  pubDate: text,
  'wp:post_date': text,
  'wp:post_date_gmt': text,
  'wp:post_modified': text,
  'wp:post_modified_gmt': text,
  'wp:post_password': text,
  'wp:is_sticky': text,
  'wp:attachment_url': text,
  category: z
    .array(
      z.union([
        Category,
        z.string().transform((name) => ({ '#text': name, '@domain': 'category', '@nicename': '' })),
      ]),
    )
    .default([]),
  'wp:comment': z.array(z.unknown()).default([]),
  'wp:postmeta': z
    .array(
      z
        .object({ 'wp:meta_key': text, 'wp:meta_value': text })
        .catch({ 'wp:meta_key': '', 'wp:meta_value': '' }),
    )
    .default([]),
});

export type Item = z.infer<typeof Item>;

/** Returns the trimmed value of the first of these fields that has one; empty if none has. */
export const metaIn = (item: Item, ...names: readonly string[]) =>
  names
    .map((name) =>
      item['wp:postmeta'].find((meta) => meta['wp:meta_key'].trim() === name)?.['wp:meta_value'].trim(),
    )
    .find(Boolean) ?? '';

/** Parses an item. Null if it does not have the fields of WordPress. Throws an `Error` for invalid XML. */
export function itemOf(xml: XMLParser, item: string): Item | null {
  const known = Item.safeParse(z.object({ item: z.unknown() }).parse(xml.parse(item, true)).item);
  return known.success ? known.data : null;
}
