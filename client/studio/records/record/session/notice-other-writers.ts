import { keptRevisions } from '../../../../../shared/contract/limits.ts';
import { isDraft, scheduledFor, shapeOf, titleOf } from '../../../data/record-shape.ts';
import type { OwnRecord } from '../../../data/records.ts';
import { actorName } from '../../../strings/names.ts';
import { strings } from '../../../strings/ui-strings.ts';
import type { RecordStore, RecordView, SessionDeps } from './store.ts';

/**
 * Creates a listener for views of the record. It shows a toast when another user or client has written the record, and names
 * the writer. `own` contains the revisions that this form wrote.
 */
export function createOtherWriterListener(deps: SessionDeps, store: RecordStore, own: ReadonlySet<number>) {
  const { resource, records, events } = deps;
  let seen: OwnRecord | undefined;
  /** Latest revision with conflicts whose writer was looked up. */
  let named: number | null = null;
  const findWriter = async (id: string): Promise<string> => {
    const { items } = await records.revisions.query({ id, per_page: keptRevisions });
    const latest = items.find(({ revision }) => !own.has(revision));
    return latest ? actorName(latest.actor) : strings.conflict.somebody;
  };
  const tell = async (before: OwnRecord, now: OwnRecord, hasEdits: boolean) => {
    const title = titleOf(shapeOf(resource), now);
    if (scheduledFor(before) && !isDraft(now)) return events.toast(strings.conflict.publishedNow(title));
    const writer = await findWriter(now.id);
    events.toast(hasEdits ? strings.conflict.merged(writer) : strings.conflict.updated(writer));
  };
  const nameWriter = async (id: string) => store.change({ writer: await findWriter(id) });
  // A failed lookup is ignored: the writer stays unnamed.
  const unnamed = () => undefined;
  return ({ saved, isSaving, hasEdits, conflicts }: RecordView) => {
    const hasConflicts = conflicts.length > 0;
    // Wait for the end of a save, because until then a new revision may be the form's own.
    if (saved && !isSaving && saved.revision !== seen?.revision) {
      const before = seen;
      seen = saved;
      if (before && isForeign(before.revision, saved.revision, own) && !hasConflicts)
        void tell(before, saved, hasEdits).catch(unnamed);
    }
    const unknown = saved && hasConflicts ? saved : null;
    if (unknown && unknown.revision !== named) void nameWriter(unknown.id).catch(unnamed);
    named = unknown?.revision ?? null;
  };
}

/** True if a revision between the two was not written by this form. */
const isForeign = (before: number, now: number, own: ReadonlySet<number>) =>
  now - before > [...own].filter((revision) => revision > before && revision <= now).length;
