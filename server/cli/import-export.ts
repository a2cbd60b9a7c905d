import { type FileHandle, realpath, stat } from 'node:fs/promises';
import { Writable } from 'node:stream';
import type { Command } from 'commander';
import {
  ImportAnswers,
  type ImportCounts,
  type ImportedRecordReport,
  type ImportQuestion,
} from '../../shared/contract/features/import-export.ts';
import { cellsOf, questionIdOf } from '../../shared/importers/index.ts';
import { nullIfMissing } from '../../shared/runtime/file-system.ts';
import { exportSite } from '../transfer/archive/export-site.ts';
import type { OnProgress } from '../transfer/archive/snapshot.ts';
import { importFile, siteOfArchive } from '../transfer/import-file.ts';
import { withSiteLock } from '../transfer/with-site-lock.ts';
import type { Operate, OperatorSession } from './operator-session.ts';
import { findSite, madeSite } from './sites.ts';
import { writeWhole } from './write-whole-file.ts';

export function addImportExport(program: Command, operate: Operate) {
  program
    .command('export [site]')
    .description(
      'write an archive of a site to standard output; the site may be omitted if there is only one',
    )
    .option('--out <file>', 'write the archive to this file instead')
    .action((named: string | undefined, { out }: { out?: string }) =>
      operate.run(async (session) => {
        const site = await findSite(session, named);
        if (!out && process.stdout.isTTY)
          throw new Error('An archive is binary: redirect it to a file (> site.tar.gz) or use --out FILE.');
        const progress = showProgress('read');
        const write = async (to: Writable) => {
          // The audit entry comes first: an interrupted export may have been read up to that point.
          await session.database.em.fork().transactional((em) => session.note(em, { siteId: site.id }));
          await exportSite(session, site.id, to, progress.on);
        };
        if (out) await writeInto(out, write);
        else await write(process.stdout);
        progress.end(`Exported ${site.name} (${site.id}).`);
      }),
    );

  program
    .command('import <file>')
    .description(
      'import an archive of a site, an export of Ghost, WordPress, Substack or Medium, a folder of Markdown, or a list of people (CSV)',
    )
    .option(
      '--site <site>',
      'id, subdomain or domain of the site to import into; without it, an archive creates its own site',
    )
    .option('--fetch-media', 'download images that the export links to at the old site')
    .option(
      '--drafts',
      'import all posts and pages as drafts; archives of this service keep their drafts and published records',
    )
    .option('--dry-run', 'report the outcome of each record without changing anything')
    .option(
      '--answer <column=values>',
      'values of a column that mean consent to receive mail, separated by commas; needed if the import of a list of people requests it; repeatable',
      collect,
    )
    .option(
      '--ignore-column <column>',
      'column that is unrelated to consent to receive mail; needed if the import of a list of people requests it; repeatable',
      collect,
    )
    .option('--json', 'print the report as JSON, one record per line')
    .action(
      (
        file: string,
        { site, drafts = false, dryRun = false, fetchMedia = false, json = false, ...given }: ImportCommand,
      ) =>
        operate.run(async (session) => {
          const answers = answersOf(given);
          const { siteId, toHold } = await targetOf(session, file, site);
          const progress = showProgress(dryRun ? 'checked' : 'imported');
          const onRecord = json ? printJson : printLine;
          const done = await withSiteLock(session, toHold, (signal) =>
            importFile(session, file, {
              siteId,
              actor: session.operator,
              note: session.note,
              dryRun,
              mode: drafts ? 'drafts' : 'as-marked',
              fetchImages: fetchMedia ? session.addresses : undefined,
              answers,
              onQuestions(questions) {
                if (json) console.log(JSON.stringify({ questions }));
                const open = questions.filter(({ id }) => !Object.hasOwn(answers, id));
                if (open.length > 0) console.error(howToAnswer(open));
              },
              onRecord,
              onProgress: progress.on,
              signal,
            }),
          );
          progress.end(summary(done.counts, dryRun));
          if (siteId === undefined && !dryRun) console.error(await madeSite(session, done.siteId));
        }),
    );
}

/** Writes to a file. A symbolic link stays, and its target is replaced. */
async function writeInto(out: string, write: (to: Writable) => Promise<void>) {
  const there = await stat(out).catch(nullIfMissing);
  if (there?.isDirectory()) throw new Error(`${out} is a folder: give the name of a file.`);
  if (there && !there.isFile())
    throw new Error(`${out} is not a regular file: omit --out and redirect the output instead (>).`);
  const path = there ? await realpath(out) : out;
  await writeWhole(path, (file) => write(appending(file)).then(() => path));
}

const appending = (file: FileHandle) =>
  new Writable({
    write: (chunk: Buffer, _encoding, done) => void file.appendFile(chunk).then(() => done(), done),
  });

/** Finds the target of an import: the named site, or the only one. An archive creates its own site unless one is named. */
async function targetOf(session: OperatorSession, file: string, named: string | undefined) {
  const own = named === undefined ? await siteOfArchive(file) : null;
  if (own !== null) return { siteId: undefined, toHold: own };
  const { id } = await findSite(session, named);
  return { siteId: id, toHold: id };
}

interface ImportCommand {
  site?: string;
  drafts?: boolean;
  fetchMedia?: boolean;
  dryRun?: boolean;
  answer?: string[];
  ignoreColumn?: string[];
  json?: boolean;
}

const collect = (value: string, former: string[] = []) => [...former, value];

/** Parses answers by the ids of their questions. A column is given by its name or the id of its question. */
function answersOf({ answer = [], ignoreColumn = [] }: ImportCommand): ImportAnswers {
  const idOf = (column: string) => (/^q[0-9a-f]{12}(?:-\d+)?$/.test(column) ? column : questionIdOf(column));
  const answers: ImportAnswers = {};
  for (const column of ignoreColumn) answers[idOf(column)] = 'ignore';
  for (const written of answer) {
    const [, column, values = ''] = /^([^=]+)=(.*)$/s.exec(written) ?? [];
    if (column === undefined)
      throw new Error(
        `--answer ${written}: expected a column and values, such as --answer 'Consent=yes,true'.`,
      );
    const known = answers[idOf(column)];
    const former = typeof known === 'object' ? known.may_mail : [];
    answers[idOf(column)] = { may_mail: [...former, ...cellsOf(values)] };
  }
  const checked = ImportAnswers.safeParse(answers);
  if (!checked.success)
    throw new Error('--answer: the values are too long, or the name of a column is missing.');
  return checked.data;
}

/** Instructions for the columns of a list of people that only its owner can judge. */
const howToAnswer = (questions: readonly ImportQuestion[]): string =>
  [
    'Some columns may contain consent to receive mail. Nothing was imported: run the command again with one option for each of them.',
    ...questions.flatMap(({ id, column, values, has_more_values }) => {
      const isPlain = !column.includes('=') && questionIdOf(column) === id;
      const name = isPlain ? column : id;
      const shown = values.map((value) => (value === '' ? '(empty)' : JSON.stringify(value))).join(', ');
      const example = values.find((value) => value !== '') ?? '';
      const cell = /[",\n]/.test(example) ? `"${example.replaceAll('"', '""')}"` : example;
      return [
        `Column ${JSON.stringify(column)} has the values ${shown}${has_more_values ? ', and more' : ''}.`,
        `  Values that mean consent to receive mail:  --answer ${quoted(`${name}=${cell}`)}`,
        `  If the column is unrelated to consent:     --ignore-column ${quoted(name)}`,
      ];
    }),
    "To name the empty value, write nothing: 'Column=' or 'Column=yes,'.",
  ].join('\n');

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

const printJson = (record: ImportedRecordReport) => console.log(JSON.stringify(record));

const printLine = ({ outcome, collection, id, source_id, title, reason }: ImportedRecordReport) =>
  console.log(
    [
      outcome.padEnd(8),
      collection,
      id ?? source_id,
      JSON.stringify(title),
      ...(reason ? [`(${reason})`] : []),
    ].join('  '),
  );

const summary = ({ created, skipped, refused }: ImportCounts, dryRun: boolean) =>
  `${dryRun ? 'Would be created' : 'Created'}: ${created}; skipped: ${skipped}; refused: ${refused}.`;

const everyMs = { line: 5_000, terminal: 100 } as const;

function showProgress(done: string): { on: OnProgress; end(message: string): void } {
  const { stderr } = process;
  let printedAt = performance.now();
  return {
    on(name, records) {
      const now = performance.now();
      if (now - printedAt < (stderr.isTTY ? everyMs.terminal : everyMs.line)) return;
      printedAt = now;
      const text = `${done} ${records} of ${name} …`;
      stderr.write(stderr.isTTY ? `\r\x1b[K${text}` : `${text}\n`);
    },
    end: (message) => void stderr.write(`${stderr.isTTY ? '\r\x1b[K' : ''}${message}\n`),
  };
}
