import { createSafeContext } from '@mantine/core';
import {
  type ImportAnswers,
  type ImportCounts,
  type ImportedRecordReport,
  type ImportMode,
  type ImportQuestion,
  importExport,
} from '../../../../shared/contract/features/import-export.ts';
import type { ApiClient } from '../../../sdk/index.ts';
import { messageFor, messageForCode } from '../../strings/errors.ts';
import { strings } from '../../strings/ui-strings.ts';
import { createStore, useStore } from '../../ui/store.ts';
import { folderArchive } from './folder-archive.ts';
import { ImportRefused, sendFile } from './send-file.ts';

interface ChosenFile {
  name: string;
  content: Blob;
  /** True if images on other servers are fetched. */
  fetchMedia: boolean;
  mode: ImportMode;
  /** Answers to the questions about a list of people, by question ID. */
  answers: ImportAnswers;
}

export interface Run {
  chosen: ChosenFile;
  does: 'check' | 'import';
  /** Sent share of the file, from 0 to 1. */
  sent: number;
  tally: Tally;
  /** Columns of a list of people whose meaning only the owner knows. */
  questions: readonly ImportQuestion[];
  /** Number of records; null if unknown. */
  total: number | null;
}

export type ImportState =
  | { is: 'waiting'; problem?: string }
  | ({ is: 'running' } & Run)
  /** With a `problem`, the run ended early. */
  | ({ is: 'ended'; problem?: string } & Run);

export type Imports = ReturnType<typeof createImports>;

/**
 * Creates the import of this tab, which continues while the user moves between screens.
 *
 * States and transitions:
 * - `waiting` to `running`: a chosen file or folder is checked.
 * - `running` to `ended`: the check or import is complete, was stopped, or failed.
 * - `ended` to `running`: `answer` checks again, and `goOn` imports or repeats.
 * - any to `waiting`: `forget`, or a chosen file or folder that cannot be imported.
 *
 * An import that ended early can run again: records that arrived are skipped. `onImported` is called at the end of every
 * import, to refetch lists.
 */
export function createImports({ studio }: ApiClient, onImported: () => void) {
  const { get, set, subscribe } = createStore<ImportState>({ is: 'waiting' });
  let running: AbortController | null = null;

  const run = async (chosen: ChosenFile, does: Run['does'], total: number | null) => {
    const stop = new AbortController();
    running = stop;
    let now: Run = { chosen, does, sent: 0, tally: emptyTally, questions: [], total };
    const change = (changes: Partial<Run>) => {
      now = { ...now, ...changes };
      if (running === stop) set({ is: 'running', ...now });
    };
    change({});
    const ended = await studio.transfers[does]
      .mutate({ fetch_media: chosen.fetchMedia, mode: chosen.mode, answers: chosen.answers })
      .then(({ url }) =>
        sendFile(
          url,
          chosen.content,
          stop.signal,
          (sent) => change({ sent }),
          (lines) => {
            const records = lines.flatMap((line) => ('record' in line ? [line.record] : []));
            const withQuestions = lines.find((line) => 'questions' in line);
            change({ sent: 1, tally: counted(now.tally, records), ...withQuestions });
          },
        ),
      )
      .then(
        () => ({}),
        (error: unknown) => ({
          problem: stop.signal.aborted ? strings.importExport.import.stopped : messageOf(error),
        }),
      );
    if (running !== stop) return;
    running = null;
    set({ is: 'ended', ...now, ...ended });
    if (does === 'import') onImported();
  };

  const check = (chosen: ChosenFile) => {
    if (chosen.content.size > importExport.uploadBytes)
      set({ is: 'waiting', problem: strings.importExport.import.largest(importExport.uploadBytes / 1e9) });
    else void run(chosen, 'check', null);
  };

  return {
    get,
    subscribe,
    chooseFile(file: File | null | undefined, fetchMedia: boolean) {
      if (file) check({ name: file.name, content: file, fetchMedia, mode: 'as-marked', answers: {} });
    },
    chooseFolder(files: readonly File[], fetchMedia: boolean) {
      const [first] = files;
      if (!first) return;
      const content = folderArchive(files);
      const name = first.webkitRelativePath.split('/')[0] || first.name;
      if (content) check({ name, content, fetchMedia, mode: 'as-marked', answers: {} });
      else set({ is: 'waiting', problem: strings.importExport.import.noText });
    },
    /** Checks the file again with the answers. */
    answer(answers: ImportAnswers) {
      const state = get();
      if (state.is === 'ended') check({ ...state.chosen, answers });
    },
    /** Imports after the check, or continues an import that ended early. */
    goOn(does: Run['does'], mode?: ImportMode) {
      const state = get();
      if (state.is === 'ended')
        void run(
          { ...state.chosen, mode: mode ?? state.chosen.mode },
          does,
          does === 'import' ? (state.total ?? state.tally.records) : null,
        );
    },
    /** Stops the run. A check is forgotten; an import keeps the records that have arrived. */
    stop() {
      const state = get();
      if (state.is === 'running' && state.does === 'check') this.forget();
      else running?.abort();
    },
    forget() {
      running?.abort();
      running = null;
      set({ is: 'waiting' });
    },
  };
}

function messageOf(error: unknown): string {
  if (!(error instanceof ImportRefused))
    return error instanceof Error && 'data' in error ? messageFor(error) : strings.importExport.import.broke;
  return error.code === 'validation_failed' ? error.message : messageForCode(error.code);
}

const [ImportsProvider, useProvided] = createSafeContext<Imports>('no ImportsProvider above');

export { ImportsProvider };

/** Returns the state and the actions of this tab's import. */
export function useImports(): [ImportState, Imports] {
  const imports = useProvided();
  return [useStore(imports), imports];
}

type Outcome = ImportedRecordReport['outcome'];

/** Outcomes in order of importance to the user. */
export const outcomes: readonly Outcome[] = ['refused', 'created', 'skipped'];

/** Maximum number of records shown per outcome. */
const maxShown = 100;

/** Counts of the records that the report contains. */
export interface Tally {
  records: number;
  counts: ImportCounts;
  byCollection: ReadonlyMap<string, ImportCounts>;
  /** Records with remarks, the first of each outcome. */
  notable: Readonly<Record<Outcome, readonly ImportedRecordReport[]>>;
  /** Number of records with remarks that are not shown. */
  notShown: number;
}

const none: ImportCounts = { created: 0, skipped: 0, refused: 0 };

const emptyTally: Tally = {
  records: 0,
  counts: none,
  byCollection: new Map(),
  notable: { created: [], skipped: [], refused: [] },
  notShown: 0,
};

/** True if a file contains only subscribers. The importing owner is then responsible for their consent. */
export const isListOfPeople = ({ byCollection }: Tally): boolean =>
  byCollection.size === 1 && byCollection.has('subscribers');

/** True if the file contains posts or pages of another system. Archives of this service also contain their site. */
export const hasForeignTexts = ({ byCollection }: Tally): boolean =>
  !byCollection.has('site') && ['posts', 'pages'].some((name) => (byCollection.get(name)?.created ?? 0) > 0);

function counted(tally: Tally, records: readonly ImportedRecordReport[]): Tally {
  const counts = { ...tally.counts };
  const byCollection = new Map(tally.byCollection);
  const notable = { ...tally.notable };
  let { notShown } = tally;
  for (const record of records) {
    const { collection, outcome, reason } = record;
    counts[outcome] += 1;
    const known = byCollection.get(collection) ?? none;
    byCollection.set(collection, { ...known, [outcome]: known[outcome] + 1 });
    if (reason === null) continue;
    if (notable[outcome].length < maxShown) notable[outcome] = [...notable[outcome], record];
    else notShown += 1;
  }
  return { records: tally.records + records.length, counts, byCollection, notable, notShown };
}
