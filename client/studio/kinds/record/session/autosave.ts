import type { Edits } from '../../../forms/edits.ts';
import type { Queue } from './queue.ts';
import type { RecordStore, SessionDeps } from './store.ts';
import type { RecordView } from './view.ts';
import type { Writing } from './writing.ts';

/** How long after the last key a draft is saved. */
const pauseMs = 900;

/** To be called with each view: saves a draft by itself once nothing was typed for a while. */
export function createAutosave(
  deps: SessionDeps,
  store: RecordStore,
  { queue, save }: Pick<Writing, 'save'> & { queue: Queue },
) {
  let waitingFor: Edits | null = null;
  let cancel = () => {};
  const saveNow = () => {
    if (queue.isBusy()) return;
    const view = store.get();
    const values = { ...view.fit, ...(view.isNew && { is_draft: true }) };
    // What failed stands in the state.
    void queue.add(() => save(values, null)).catch(() => undefined);
  };
  return {
    look: (view: RecordView) => {
      const { typed } = store.read();
      const isWaiting = isDue(view);
      if (isWaiting && waitingFor === typed) return;
      cancel();
      waitingFor = isWaiting ? typed : null;
      if (isWaiting) cancel = deps.clock.after(pauseMs, saveNow);
    },
    stop: () => {
      cancel();
      waitingFor = null;
    },
  };
}

/** A refusal of single fields holds up none of the others. */
const isDue = ({ isSavedByItself, isSaving, saveError, isExplained, conflicts, fit }: RecordView) =>
  isSavedByItself &&
  !isSaving &&
  (!saveError || isExplained) &&
  conflicts.length === 0 &&
  Object.keys(fit).length > 0;
