import { etagOf } from '../../../../sdk/index.ts';
import { isDraft } from '../../../data/record-shape.ts';
import { newId, revisionIn, type Values } from '../../../data/records.ts';
import {
  afterSave,
  changesSince,
  conflictingFields,
  type Edits,
  withoutNames,
} from '../../../forms/edits.ts';
import { problemsIn } from '../../../forms/field-problems.ts';
import { sendRecorded, updateWithRetry } from '../../../forms/update-with-retry.ts';
import { type RecordStore, type SessionDeps, unsetOf } from './store.ts';

interface Save {
  values: Values;
  /** Edits to compare with other writers' changes. Null for an autosave. */
  typed: Edits | null;
}

export type RecordWriter = ReturnType<typeof createRecordWriter>;

/**
 * Creates the functions that write a record.
 *
 * An update names the revision that it is based on. If that is no longer the newest, changes of other writers in other
 * fields are kept, and the update is repeated on top. In the same fields it fails with `precondition_failed`.
 *
 * Creation is idempotent: it is repeated with the same key and values until an answer arrives.
 */
export function createRecordWriter(deps: SessionDeps, store: RecordStore, onCreated: (id: string) => void) {
  const { resource, saved, records, unsaved, clock } = deps;
  const unset = unsetOf(resource);
  const own = new Set<number>();

  const update = (id: string, { values, typed }: Save) => {
    const known = saved.get(id) ?? null;
    return updateWithRetry({
      saved: known,
      read: () => saved.read(id),
      // An autosave stops at any newer revision: the draft may have been published.
      wouldOverwrite: (fresh) =>
        typed
          ? conflictingFields({ typed, sent: store.read().sent }, fresh, resource.fields).length > 0
          : fresh.revision !== known?.revision,
      write: (fresh) =>
        sendRecorded(store, values, () =>
          records.update.mutate({ id, ...values }, { ifMatch: etagOf(fresh) }),
        ),
    });
  };
  const write = async (save: Save) => {
    const { id } = store.read();
    if (id !== newId) return { id, sent: save.values, revision: revisionIn(await update(id, save)) };
    const { answer, sent } = await store.making.send(save.values, (input, options) =>
      sendRecorded(store, input, () => records.create.mutate(input, options)),
    );
    return { id: answer.id, sent, revision: revisionIn(answer) };
  };
  const noteSaved = (id: string, sent: Values, revision: number) => {
    const [{ id: before, ...state }, at] = [store.read(), clock.now()];
    own.add(revision);
    saved.set(id, (known) => ({
      ...unset,
      created: at,
      ...known,
      ...sent,
      ...(!isDraft({ ...known, ...sent }) && { publish_at: null }),
      id,
      updated: at,
      revision,
    }));
    saved.invalidate();
    if (id !== before) unsaved.keep(resource.collection, deps.draftKey, {});
    store.change({
      id,
      typed: afterSave(state.typed, sent),
      sent: withoutNames(state.sent, sent),
      refused: withoutNames(state.refused, sent),
      sending: null,
    });
    if (id !== before) onCreated(id);
  };
  const send = async (values: Values, typed: Edits | null): Promise<Values> => {
    store.change({ sending: values, failure: null });
    try {
      const { id, sent, revision } = await write({ values, typed });
      noteSaved(id, sent, revision);
      return sent;
    } catch (failure) {
      const refused = { ...store.read().refused, ...problemsIn(failure, Object.keys(resource.fields)) };
      store.change({ sending: null, failure, refused });
      throw failure;
    }
  };
  return {
    /** Revisions that this form wrote. */
    own,
    /** Saves values; `typed` is null for an autosave. Only one call may run at a time. */
    save: async (values: Values, typed: Edits | null) => {
      const sent = await send(values, typed);
      // The answer may belong to an earlier attempt to create the record: write the later values on top.
      const { is_draft: _, ...fields } = unset;
      const since = changesSince(sent, values, fields);
      const left = typed && afterSave(typed, sent);
      if (Object.keys(since).length > 0) await send(since, left);
    },
  };
}
