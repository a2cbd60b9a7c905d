import type { EntityManager } from '@mikro-orm/postgresql';
import { eventfulCollections } from '../../../shared/contract/resources/index.ts';
import type { ContentRow } from '../../../shared/db/entities/content.ts';
import type { StoreDeps } from '../../kernel/deps.ts';
import { recordEvent } from './record-event.ts';

export type ContentChange = 'content.created' | 'content.updated' | 'content.deleted';

/**
 * Records what a write to a post, project or page fires, in its transaction; other collections fire nothing. An update
 * of what is not a draft fires `content.published` as well.
 */
export async function recordContentEvents(
  em: EntityManager,
  deps: StoreDeps,
  written: { collection: string; row: ContentRow; change: ContentChange },
) {
  const { row, change } = written;
  const collection = eventfulCollections.find((name) => name === written.collection);
  if (!collection) return;
  const data = { id: row.id, collection, title: String(row.title), slug: String(row.slug) };
  await recordEvent(em, deps, { siteId: row.site_id, name: change, data });
  if (change === 'content.updated' && !row.is_draft) {
    await recordEvent(em, deps, { siteId: row.site_id, name: 'content.published', data });
  }
}
