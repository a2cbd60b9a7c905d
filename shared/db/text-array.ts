import { ArrayType } from '@mikro-orm/core';

/**
 * A list of texts as PostgreSQL's `text[]`. MikroORM's own writes an element bare or as JSON, which PostgreSQL reads as
 * something else when it is `null`, begins with a blank or has a line break.
 */
export class TextArray extends ArrayType<string> {
  override convertToDatabaseValue(value: string[] | null) {
    if (!Array.isArray(value)) return value;
    const elements = value.map((text) => `"${text.replace(/[\\"]/g, '\\$&')}"`);
    return `{${elements.join(',')}}`;
  }
}
