import { p } from '@mikro-orm/core';
import type { Focus } from '../../contract/features/media.ts';
import { createdBy, isPublic, moment, sitePrimaryKey, table } from '../columns.ts';

/** A file that a creator uploaded. Its bytes are in the media store; a row is written once they are there. */
export const MediaEntity = table(
  'media',
  {
    ...sitePrimaryKey,
    name: p.text(),
    /** What an image shows, for those who don't see it. */
    alt: p.text(),
    /** What stands below it. */
    caption: p.text(),
    /** The point that stays in sight where it is cut off; null for its middle. */
    focus: p.json<Focus>().nullable(),
    /** What its bytes are, whatever was said of them when they came. */
    type: p.text(),
    /** Bytes as they are kept, which is without what a camera notes of place and owner. */
    size: p.bigint('number'),
    /** As shown: a picture that is stored turned has them swapped. Null for what is no image. */
    width: p.integer().nullable(),
    height: p.integer().nullable(),
    /** Of the bytes as they are kept, in hexadecimal. */
    sha256: p.text(),
    /** The smaller sizes that there are by now, in pixels of width. */
    widths: p.array(Number).columnType('integer[]'),
    is_public: isPublic('true'),
    created: moment(),
    created_by: createdBy(),
  },
  { name: 'media_sha256_key', properties: ['site_id', 'sha256'] },
);

/** Which media store is the installation's: one row. */
export const MediaStoreRecord = table('media_store', {
  only_one: p.boolean().primary(),
  id: p.text(),
  /** Whether the store has had the mark with this id: then one without it is another, or away. */
  marked: p.boolean(),
});

/** What no row of media names, or none yet, and goes from the store when it is due. */
export const MediaRemoval = table('media_removals', {
  ...sitePrimaryKey,
  due_at: moment(),
  /** Whether its bytes may be gone by now, so that no row may name them. */
  begun: p.boolean(),
});

/** An image whose smaller copies are to be made. */
export const MediaToSize = table('media_to_size', {
  ...sitePrimaryKey,
  /** When that is to be begun: later while a worker is at it, or after a failure. */
  due_at: moment(),
  /** How often it was decoded, in vain so far. */
  tries: p.integer(),
  /** Why it gets no copies; null while it may. */
  given_up: p.text().nullable(),
});
