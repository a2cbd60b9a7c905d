import { useEffect, useRef, useState } from 'react';
import { keptRevisions } from '../../../shared/contract/limits.ts';
import type { Resource } from '../../../shared/contract/resource.ts';
import { useApi } from '../data/api.tsx';
import { type OwnRecord, recordsOf } from '../data/records.ts';
import { texts } from '../texts/texts.ts';
import { actorName } from '../ui/actor-name.ts';
import { say } from '../ui/toast.tsx';
import { isDraft, scheduledFor, shapeOf, titleOf } from './shape.ts';

interface Watched {
  resource: Resource;
  saved: OwnRecord | undefined;
  /** Whether this form is writing: what comes meanwhile may be its own. */
  isSaving: boolean;
  hasEdits: boolean;
  hasConflicts: boolean;
}

/**
 * Tells when somebody else writes a record that is open, and who. `own` is to be given each revision that the form itself
 * has made.
 */
export function useForeignChanges({ resource, saved, isSaving, hasEdits, hasConflicts }: Watched) {
  const api = useApi();
  const own = useRef(new Set<number>());
  const seen = useRef<OwnRecord>(undefined);
  const [writer, setWriter] = useState<string>(texts.conflict.somebody);
  const findWriter = async (id: string): Promise<string> => {
    const { items } = await recordsOf(api, resource).revisions.query({ id, per_page: keptRevisions });
    const latest = items.find(({ revision }) => !own.current.has(revision));
    return latest ? actorName(latest.actor) : texts.conflict.somebody;
  };
  const tell = async (before: OwnRecord, now: OwnRecord) => {
    const title = titleOf(shapeOf(resource), now);
    if (scheduledFor(before) && !isDraft(now)) return say(texts.conflict.publishedNow(title));
    const who = await findWriter(now.id);
    say(hasEdits ? texts.conflict.merged(who) : texts.conflict.updated(who));
  };
  useEffect(() => {
    if (!saved || isSaving) return;
    const before = seen.current;
    seen.current = saved;
    if (before && isForeign(before.revision, saved.revision, own.current) && !hasConflicts)
      void tell(before, saved).catch(() => undefined);
  }, [saved?.revision, isSaving]);
  useEffect(() => {
    if (hasConflicts && saved) void findWriter(saved.id).then(setWriter, () => undefined);
  }, [hasConflicts, saved?.revision]);
  return {
    writer,
    noteOwn: (revision: number) => {
      own.current.add(revision);
    },
  };
}

/** Whether there are more revisions between two than those that are `own`. */
const isForeign = (before: number, now: number, own: ReadonlySet<number>) =>
  now - before > [...own].filter((revision) => revision > before && revision <= now).length;
