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
import { wordsFor, wordsForCode } from '../../strings/errors.ts';
import { texts } from '../../strings/texts.ts';
import { createStore, useStore } from '../../ui/store.ts';
import { folderArchive } from './folder-archive.ts';
import { ImportRefused, sendFile } from './send-file.ts';

/** A file, or a folder, that somebody has chosen. */
interface Chosen {
  name: string;
  content: Blob;
  /** Pictures that it names by their address are fetched. */
  fetchMedia: boolean;
  mode: ImportMode;
  /** Answers to the questions about a list of people, by their ids. */
  answers: ImportAnswers;
}

export interface Run {
  chosen: Chosen;
  does: 'check' | 'import';
  /** How much of the file has gone, from 0 to 1. */
  sent: number;
  tally: Tally;
  /** Columns of a list of people that only the owner can judge. */
  questions: readonly ImportQuestion[];
  /** How many records it has, as far as that is known. */
  total: number | null;
}

export type ImportState =
  | { is: 'waiting'; problem?: string }
  | ({ is: 'running' } & Run)
  /** With a problem it ended early. */
  | ({ is: 'ended'; problem?: string } & Run);

export type Imports = ReturnType<typeof createImports>;

/**
 * The import that goes on in this tab, whichever screen is shown. `onImported` is called once it has ended, however it did:
 * what it brought belongs into lists and sums that were loaded before.
 */
export function createImports({ studio }: ApiClient, onImported: () => void) {
  const { get, set, subscribe } = createStore<ImportState>({ is: 'waiting' });
  let running: AbortController | null = null;

  const run = async (chosen: Chosen, does: Run['does'], total: number | null) => {
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
            const asked = lines.find((line) => 'questions' in line);
            change({ sent: 1, tally: counted(now.tally, records), ...asked });
          },
        ),
      )
      .then(
        () => ({}),
        (error: unknown) => ({
          problem: stop.signal.aborted ? texts.importExport.import.stopped : wordsOf(error),
        }),
      );
    if (running !== stop) return;
    running = null;
    set({ is: 'ended', ...now, ...ended });
    if (does === 'import') onImported();
  };

  const check = (chosen: Chosen) => {
    if (chosen.content.size > importExport.uploadBytes)
      set({ is: 'waiting', problem: texts.importExport.import.largest(importExport.uploadBytes / 1e9) });
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
      else set({ is: 'waiting', problem: texts.importExport.import.noText });
    },
    /** Checks the file again, with answers to its questions. */
    answer(answers: ImportAnswers) {
      const state = get();
      if (state.is === 'ended') check({ ...state.chosen, answers });
    },
    /** Does it, after the check; or goes on with what ended early. */
    goOn(does: Run['does'], mode?: ImportMode) {
      const state = get();
      if (state.is === 'ended')
        void run(
          { ...state.chosen, mode: mode ?? state.chosen.mode },
          does,
          does === 'import' ? (state.total ?? state.tally.records) : null,
        );
    },
    /** Ends what is running: a check leaves nothing, an import what has arrived. */
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

function wordsOf(error: unknown): string {
  if (!(error instanceof ImportRefused))
    return error instanceof Error && 'data' in error ? wordsFor(error) : texts.importExport.import.broke;
  return error.code === 'validation_failed' ? error.message : wordsForCode(error.code);
}

const [ImportsProvider, useProvided] = createSafeContext<Imports>('no ImportsProvider above');

export { ImportsProvider };

/** The import of this tab, and how far it is. */
export function useImports(): [ImportState, Imports] {
  const imports = useProvided();
  return [useStore(imports), imports];
}

type Outcome = ImportedRecordReport['outcome'];

/** In the order in which a person wants to know. */
export const outcomes: readonly Outcome[] = ['refused', 'created', 'skipped'];

/** Most records of each outcome that are shown one by one. */
const mostShown = 100;

/** What is known of an import so far. */
export interface Tally {
  records: number;
  counts: ImportCounts;
  byCollection: ReadonlyMap<string, ImportCounts>;
  /** Those that something is said of, the first of each outcome. */
  notable: Readonly<Record<Outcome, readonly ImportedRecordReport[]>>;
  /** How many more there are of these. */
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

/** Whether there is nothing in it but subscribers: nobody else says of them that they asked to be. */
export const isListOfPeople = ({ byCollection }: Tally): boolean =>
  byCollection.size === 1 && byCollection.has('subscribers');

/** Returns whether the file brings posts or pages of another system. Archives of this service report their site, too. */
export const hasForeignTexts = ({ byCollection }: Tally): boolean =>
  !byCollection.has('site') && ['posts', 'pages'].some((name) => (byCollection.get(name)?.created ?? 0) > 0);

/** The tally with these records, too. */
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
    if (notable[outcome].length < mostShown) notable[outcome] = [...notable[outcome], record];
    else notShown += 1;
  }
  return { records: tally.records + records.length, counts, byCollection, notable, notShown };
}
