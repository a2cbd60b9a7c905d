import type { Values } from '../../../data/records.ts';
import { texts } from '../../../strings/texts.ts';
import type { RecordStore, RecordView, SessionDeps } from './store.ts';

interface Saving {
  queue: Queue;
  /** Saves what was typed, with `more`. */
  write(more: Values): Promise<void>;
  /** Publishes the record or makes a draft of it, as it is saved. */
  setDraft(is_draft: boolean): Promise<void>;
  isOpen(): boolean;
}

/** What an owner does with a record as a whole, one thing after the other: what is done already when its turn has come is not done again. */
export function createPublishing({ resource, events }: SessionDeps, store: RecordStore, saving: Saving) {
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
    const words = is_draft ? texts.records.unpublished : texts.records.publishedNow;
    // Undo brings nothing that was typed: since then more may have been saved.
    const undo = async () => {
      await setDraft(!is_draft);
      tell(!is_draft, title);
    };
    events.toast(words(title), () => void act(undo));
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
      if (!isDraft) events.toast(isNew ? texts.records.created(title) : texts.records.updated(title));
    });
  const count = (by: number) => store.change({ publishes: store.read().publishes + by });
  return {
    publish: () => {
      count(1);
      void turnInto(false).finally(() => count(-1));
    },
    unpublish: () => void turnInto(true),
    /** Saves what was typed, as the record stands. */
    save: () => void save(),
    /** Does again what failed. */
    retry: () => {
      if (failed && failed.error === store.get().saveError) failed.again();
      else void save();
    },
  };
}

/** Does one thing after the other, each once those before it have ended: also when the screen is gone by then. */
export function createQueue() {
  let last: Promise<unknown> = Promise.resolve();
  let count = 0;
  return {
    /** Whether anything is under way or waits for its turn. */
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
