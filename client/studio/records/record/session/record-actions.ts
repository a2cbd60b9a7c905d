import type { Values } from '../../../data/records.ts';
import { strings } from '../../../strings/ui-strings.ts';
import type { RecordStore, RecordView, SessionDeps } from './store.ts';

interface SaveActions {
  queue: Queue;
  /** Saves the edits, with `more` fields. Rejects if that is not possible. */
  write(more: Values): Promise<void>;
  /** Publishes or unpublishes the saved record, without its edits. */
  setDraft(is_draft: boolean): Promise<void>;
  isOpen(): boolean;
}

/**
 * Creates the actions that owners take on a whole record. They run one after the other. Each checks the state when its turn
 * comes, so publishing twice publishes once.
 */
export function createRecordActions(
  { resource, events }: SessionDeps,
  store: RecordStore,
  saving: SaveActions,
) {
  const { queue, write, setDraft, isOpen } = saving;
  let failed: { error: unknown; again(): void } | null = null;
  const act = (work: (now: RecordView) => Promise<void>): Promise<void> =>
    queue
      .add(() => work(store.get()))
      .catch((error: unknown) => {
        failed = { error, again: () => void act(work) };
        if (isOpen()) events.refused();
        else events.failed(error);
      });
  const tell = (is_draft: boolean, title: string) => {
    const labels = is_draft ? strings.records.unpublished : strings.records.publishedNow;
    // Undo changes only the draft state: newer edits may have been saved since.
    const undo = async () => {
      await setDraft(!is_draft);
      tell(!is_draft, title);
    };
    events.toast(labels(title), () => void act(undo));
  };
  const turnInto = (is_draft: boolean) =>
    act(async ({ isDraft, title }) => {
      if (isDraft === is_draft) return;
      await write({ is_draft });
      tell(is_draft, title);
    });
  const save = () =>
    act(async ({ hasEdits, isNew, isDraft, title }) => {
      if (!hasEdits) return;
      await write(isNew && 'is_draft' in resource.fields ? { is_draft: true } : {});
      if (!isDraft) events.toast(isNew ? strings.records.created(title) : strings.records.updated(title));
    });
  const count = (by: number) => store.change({ publishes: store.read().publishes + by });
  return {
    publish: () => {
      count(1);
      void turnInto(false).finally(() => count(-1));
    },
    unpublish: () => void turnInto(true),
    /** Saves the edits without publishing or unpublishing. */
    save: () => void save(),
    /** Repeats the failed action, or saves if none failed. */
    retry: () => {
      if (failed && failed.error === store.get().saveError) failed.again();
      else void save();
    },
  };
}

/** Creates a queue that runs one function at a time, in order. It continues after the form is left. */
export function createQueue() {
  let last: Promise<unknown> = Promise.resolve();
  let count = 0;
  return {
    /** True while a function is running or waiting. */
    isBusy: () => count > 0,
    add: <Result>(work: () => Promise<Result>): Promise<Result> => {
      count++;
      const done = last.then(work).finally(() => {
        count--;
      });
      last = done.catch(() => undefined);
      return done;
    },
  };
}

export type Queue = ReturnType<typeof createQueue>;
