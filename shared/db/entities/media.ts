import { p } from '@mikro-orm/core';
import type { Focus } from '../../contract/features/media.ts';
import { createdBy, isPublic, sitePrimaryKey, table, timestampColumn } from '../columns.ts';

/** Uploaded file. Its bytes are in the media store; the row is written after them. */
export const MediaEntity = table(
  'media',
  {
    ...sitePrimaryKey,
    name: p.text(),
    /** Alternative text of an image. */
    alt: p.text(),
    /** Text below the image. */
    caption: p.text(),
    /** Point of an image that stays visible when it is cropped; null for its center. */
    focus: p.json<Focus>().nullable(),
    /** MIME type, detected from the bytes; the type that the upload claimed is ignored. */
    type: p.text(),
    /** Size of the stored bytes. Location and owner that a camera recorded are removed before storing. */
    size: p.bigint('number'),
    /**
     * Width in pixels as displayed: an image with a rotation mark has width and height swapped. Null for other files.
     */
    width: p.integer().nullable(),
    height: p.integer().nullable(),
    /** SHA-256 hash of the stored bytes, in hexadecimal. */
    sha256: p.text(),
    /** Widths of the existing renditions, in pixels. */
    widths: p.array(Number).columnType('integer[]'),
    /** True if only signed addresses open the file. Has a default because servers of the previous version insert rows without it. */
    protected: p.boolean().default(false),
    is_public: isPublic('true'),
    created: timestampColumn(),
    created_by: createdBy(),
  },
  { name: 'media_sha256_key', properties: ['site_id', 'sha256'] },
);

/** Media store of the installation, in one row. */
export const MediaStoreRecord = table('media_store', {
  only_one: p.boolean().primary(),
  id: p.text(),
  /**
   * True if the store contained the marker file with this ID. After that, a store without it is another one or
   * unavailable.
   */
  marked: p.boolean(),
});

/** File in the media store that has no row in `media`, or none yet. If it still has none when due, it is deleted. */
export const MediaRemoval = table('media_removals', {
  ...sitePrimaryKey,
  due_at: timestampColumn(),
  /** True if the deletion of the file may have begun, so that no row in `media` may be created for it. */
  begun: p.boolean(),
});

/** Image whose renditions are still to be made. */
export const MediaToSize = table('media_to_size', {
  ...sitePrimaryKey,
  /** Time of the next attempt. It is postponed while a worker processes the image, and after a failure. */
  due_at: timestampColumn(),
  /** Number of failed attempts to decode the image. */
  tries: p.integer(),
  /** Reason why the image gets no renditions; null while it still may. */
  given_up: p.text().nullable(),
});
