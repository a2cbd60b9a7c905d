import { join } from 'node:path';
import { Command, Option } from 'commander';
import { sql } from 'kysely';
import { z } from 'zod';
import { DeliveryStatus } from '../../shared/contract/features/webhooks.ts';
import type { Database } from '../../shared/db/config.ts';
import { measureDeliveryQueue, nextAttemptAt } from '../../shared/db/delivery-queue.ts';
import { migrate, requireMigrated } from '../../shared/db/migrate.ts';
import { opsCommand } from '../../shared/runtime/ops-command.ts';
import { describeSettings } from '../../shared/runtime/settings/read-settings.ts';
import { OpsSettings } from '../start/settings.ts';
import { addBackup } from './backup/commands.ts';
import { addImportExport } from './import-export.ts';
import { addKeys } from './keys.ts';
import type { DnsOptions } from './mail/check-mail.ts';
import { addMail, addOutbox } from './mail/commands.ts';
import { addMedia } from './media.ts';
import { createOperate, type Operate, whenMigrated, wholeNumber } from './operator-session.ts';
import { addPayments } from './payments.ts';
import { addPeople } from './people.ts';
import { addSecretKey } from './secret-key.ts';
import { addSites } from './sites.ts';
import { table } from './table.ts';

/**
 * Creates the operator commands for the installation in `dataDir`, with its embedded database unless DATABASE_URL is
 * set.
 */
export function createProgram(dataDir: string, dns: DnsOptions = {}): Command {
  let running = '';
  const operate = createOperate(dataDir, () => running);
  const program = new Command(opsCommand())
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
  addPayments(program);
  return program;
}

/** Runs the command line. A failure prints a message and sets the exit code. */
export async function runProgram(dataDir: string, dns?: DnsOptions): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', ignoreUnread);
  try {
    await createProgram(dataDir, dns).parseAsync();
  } catch (error) {
    console.error(failureText(error));
    process.exitCode = 1;
  }
}

/** Ignores the error of an output that its reader, such as `| head`, closed early. Throws other errors. */
function ignoreUnread(error: NodeJS.ErrnoException) {
  if (error.code !== 'EPIPE') throw error;
}

const FileFailure = z.object({ code: z.string(), path: z.string().optional() });

const fileErrorMessages: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'no such file or folder'],
  ['ENOTDIR', 'part of the path is not a folder'],
  ['EACCES', 'permission denied'],
  ['EISDIR', 'is a folder, but a file is needed'],
  ['ENOSPC', 'the disk is full'],
  ['EROFS', 'the disk is read-only'],
]);

function failureText(error: unknown): string {
  const { data } = FileFailure.safeParse(error);
  const message = data && fileErrorMessages.get(data.code);
  if (message) return `${data.path ?? 'File'}: ${message}.`;
  return error instanceof Error ? error.message : String(error);
}

/** Returns the name of a command with its parents, such as `keys.create`. */
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

interface DeliveryOptions {
  limit: number;
  status?: DeliveryStatus;
}

function addDeliveries(program: Command, operate: Operate) {
  program
    .command('deliveries')
    .description('show the webhook queue and the latest deliveries of all sites, newest first')
    .option('--limit <number>', 'maximum number of deliveries to list', wholeNumber, 20)
    .addOption(
      new Option('--status <status>', 'only deliveries with this status').choices(DeliveryStatus.options),
    )
    .action((options: DeliveryOptions) =>
      operate.run(async ({ database }) => {
        const { depth, oldest_due_seconds, asked: requested } = await measureDeliveryQueue(database);
        console.log(
          `Due: ${depth}, the oldest for ${oldest_due_seconds.toFixed(1)} s; requested by owners: ${requested}\n`,
        );
        console.log(table(await listLatest(database, options)));
      }),
    );
}

async function listLatest(database: Database, { limit, status }: DeliveryOptions) {
  const { rows } = await sql<Record<string, unknown>>`
    select d.created, d.id, d.event, d.status, d.attempt_count as attempts, d.last_status_code as answer, d.error,
      ${nextAttemptAt} as next_attempt, s.url
    from webhook_deliveries d
    left join webhook_subscriptions s on s.site_id = d.site_id and s.id = d.subscription_id
    ${status ? sql`where d.status = ${status}` : sql``}
    order by d.created desc, d.id desc limit ${limit}`.execute(database.em.getKysely());
  return rows;
}
