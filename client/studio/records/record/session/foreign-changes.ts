import { keptRevisions } from '../../../../../shared/contract/limits.ts';
import type { OwnRecord } from '../../../data/records.ts';
import { isDraft, scheduledFor, shapeOf, titleOf } from '../../../data/shape.ts';
import { actorName } from '../../../strings/names.ts';
import { texts } from '../../../strings/texts.ts';
import type { RecordStore, RecordView, SessionDeps } from './store.ts';

/** To be called with each view: tells when somebody else writes a record that is open, and who. `own` are revisions of this form. */
export function createForeignChanges(deps: SessionDeps, store: RecordStore, own: ReadonlySet<number>) {
  const { resource, records, events } = deps;
  let seen: OwnRecord | undefined;
  /** The revision whose writer was looked for. */
  let named: number | null = null;
  const findWriter = async (id: string): Promise<string> => {
    const { items } = await records.revisions.query({ id, per_page: keptRevisions });
    const latest = items.find(({ revision }) => !own.has(revision));
    return latest ? actorName(latest.actor) : texts.conflict.somebody;
  };
  const tell = async (before: OwnRecord, now: OwnRecord, hasEdits: boolean) => {
    const title = titleOf(shapeOf(resource), now);
    if (scheduledFor(before) && !isDraft(now)) return events.toast(texts.conflict.publishedNow(title));
    const writer = await findWriter(now.id);
    events.toast(hasEdits ? texts.conflict.merged(writer) : texts.conflict.updated(writer));
  };
  const nameWriter = async (id: string) => store.change({ writer: await findWriter(id) });
  // Who it was is a courtesy: without an answer it was somebody.
  const unnamed = () => undefined;
  return ({ saved, isSaving, hasEdits, conflicts }: RecordView) => {
    const hasConflicts = conflicts.length > 0;
    // What comes while this form is writing may be its own.
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

/** Whether there are more revisions between two than those that are `own`. */
const isForeign = (before: number, now: number, own: ReadonlySet<number>) =>
  now - before > [...own].filter((revision) => revision > before && revision <= now).length;
