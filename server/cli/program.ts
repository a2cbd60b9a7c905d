import { join } from 'node:path';
import { Command } from 'commander';
import { z } from 'zod';
import { migrate, requireMigrated } from '../../shared/db/migrate.ts';
import { describeSettings } from '../../shared/settings/read-settings.ts';
import { OpsSettings } from '../settings.ts';
import { addBackup } from './backup/commands.ts';
import { addDeliveries } from './delivery-list.ts';
import { addImportExport } from './import-export.ts';
import { addKeys } from './keys.ts';
import { addMail } from './mail/commands.ts';
import type { DnsOptions } from './mail/dns.ts';
import { addMedia } from './media.ts';
import { createOperate, type Operate, whenMigrated } from './operate.ts';
import { addOutbox } from './outbox.ts';
import { addPeople } from './people.ts';
import { addSecretKey } from './secret-key.ts';
import { addSites } from './sites.ts';

/**
 * The operator commands, over the installation that keeps things in `dataDir`: its embedded database unless DATABASE_URL
 * is set.
 */
export function createProgram(dataDir: string, dns: DnsOptions = {}): Command {
  let running = '';
  const operate = createOperate(dataDir, () => running);
  const program = new Command('npx -y pnpm ops')
    .description('Operator commands of the Creator Content Service')
    .addHelpText('after', `\nSettings are environment variables:\n\n${describeSettings(OpsSettings)}`)
    .showHelpAfterError('Use `--help` to list commands and options.')
    .hook('preAction', (_program, command) => {
      running = nameOf(command);
    });
  addMigrate(program, operate);
  addSites(program, whenMigrated(operate));
  addKeys(program, whenMigrated(operate));
  addPeople(program, whenMigrated(operate));
  addDeliveries(program, whenMigrated(operate));
  addBackup(program, { operate, dataDir });
  addSecretKey(program, { operate: whenMigrated(operate), dataDir });
  addImportExport(program, whenMigrated(operate));
  addMedia(program, whenMigrated(operate));
  addOutbox(program, join(dataDir, 'media'));
  addMail(program, dns);
  return program;
}

/** Does what the command line asks for; what fails is told in words, and by the exit code. */
export async function runProgram(dataDir: string, dns?: DnsOptions): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', ignoreUnread);
  try {
    await createProgram(dataDir, dns).parseAsync();
  } catch (error) {
    console.error(failureText(error));
    process.exitCode = 1;
  }
}

/** Whoever reads what a command says may have seen enough (`| head`); it goes on. */
function ignoreUnread(error: NodeJS.ErrnoException) {
  if (error.code !== 'EPIPE') throw error;
}

/** What Node throws when a file can't be had. */
const FileFailure = z.object({ code: z.string(), path: z.string().optional() });

const fileTroubles: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'no such file or folder'],
  ['ENOTDIR', 'part of the path is not a folder'],
  ['EACCES', 'permission denied'],
  ['EISDIR', 'is a folder, but a file is needed'],
  ['ENOSPC', 'the disk is full'],
  ['EROFS', 'the disk is read-only'],
]);

/** Why a command failed, in words for its operator. */
function failureText(error: unknown): string {
  const { data } = FileFailure.safeParse(error);
  const trouble = data && fileTroubles.get(data.code);
  if (trouble) return `${data.path ?? 'File'}: ${trouble}.`;
  return error instanceof Error ? error.message : String(error);
}

/** The words that a command is called by, such as `keys.create`. */
const nameOf = (command: Command): string =>
  command.parent?.parent ? `${nameOf(command.parent)}.${command.name()}` : command.name();

function addMigrate(program: Command, operate: Operate) {
  program
    .command('migrate')
    .description('apply pending database migrations; safe to run repeatedly and concurrently')
    .action(() =>
      operate.run(async ({ database, databaseUrl }) => {
        const applied = await migrate(databaseUrl);
        await requireMigrated(database, { warn: console.error });
        console.log(applied.length > 0 ? `Applied ${applied.join(', ')}.` : 'The database is up to date.');
      }),
    );
}
