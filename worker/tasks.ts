import type { Task, TaskList } from 'graphile-worker';
import type { z } from 'zod';
import { keysOf } from '../shared/contract/names-of.ts';
import { type JobName, type JobPayload, jobs } from '../shared/db/jobs.ts';
import type { WorkerDeps } from './deps.ts';
import { notifyOfMailing, notifyOfPayments, notifyOwner } from './jobs/owner-notices.ts';
import { emptyTrash, prune } from './jobs/prune.ts';
import { rollUpViews } from './jobs/roll-up.ts';
import { mailBuyer, notifyOfSale } from './jobs/sale-emails.ts';
import {
  mailConfirmation,
  mailEmailChange,
  mailEmailChanged,
  mailInvitation,
  mailPasswordReset,
} from './jobs/transactional-emails.ts';
import { endMemberships } from './payments/end-memberships.ts';
import { endLeftAccount } from './payments/payments.ts';

/** Function of each job. */
type Tasks = { [Name in JobName]: (payload: JobPayload<Name>) => Promise<void> };

/** Jobs with their payload schemas, typed by name, so that the compiler relates a job's schema to its function. */
const payloads: { [Name in JobName]: { payload: z.ZodType<JobPayload<Name>> } } = jobs;

interface TaskDeps extends WorkerDeps {
  fanOutAll(): Promise<void>;
  /** Deletes jobs that have failed permanently. */
  cleanQueue(): Promise<void>;
}

/** Age of an unfinished upload before it is deleted, in milliseconds. No upload takes that long. */
const unfinishedMs = 24 * 3_600_000;

/** Returns the function of every job by name, with its payload parsed. An invalid payload fails the job. */
export function createTaskList(deps: TaskDeps): TaskList {
  const tasks: Tasks = {
    // The payload does not matter: all events that await fan-out are fanned out together.
    fan_out_event: deps.fanOutAll,
    tell_owner: (news) => notifyOwner(deps, news),
    tell_owner_of_mailing: (news) => notifyOfMailing(deps, news),
    tell_owner_of_payments: (about) => notifyOfPayments(deps, about),
    mail_confirmation: (requested) => mailConfirmation(deps, requested),
    mail_email_change: (requested) => mailEmailChange(deps, requested),
    mail_email_changed: (told) => mailEmailChanged(deps, told),
    mail_invitation: (requested) => mailInvitation(deps, requested),
    mail_password_reset: (requested) => mailPasswordReset(deps, requested),
    mail_buyer: (sale) => mailBuyer(deps, sale),
    tell_owner_of_sale: (news) => notifyOfSale(deps, news),
    leave_account: (left) => endLeftAccount(deps, left),
    roll_up_views: async () => rollUpViews(deps.database, await deps.retentionCutoff()),
    empty_trash: async () => emptyTrash(deps.database, await deps.retentionCutoff()),
    end_memberships: async () => endMemberships(deps.database, await deps.retentionCutoff()),
    prune_media: async () => {
      const now = await deps.retentionCutoff();
      await deps.media.removeUnfinished(new Date(now.getTime() - unfinishedMs));
    },
    prune: async () => {
      await prune(deps.database, await deps.retentionCutoff());
      await deps.cleanQueue();
    },
  };
  const parsed = <Name extends JobName>(name: Name): [Name, Task] => {
    const run: Tasks[Name] = tasks[name];
    return [name, async (payload) => run(payloads[name].payload.parse(payload))];
  };
  return Object.fromEntries(keysOf(jobs).map(parsed));
}

/** Schedule of jobs in Graphile Worker's crontab format. */
export const crontab = Object.entries(jobs)
  .flatMap(([name, job]) => ('schedule' in job ? [crontabLine(name, job)] : []))
  .join('\n');

function crontabLine(name: string, { schedule, option }: { schedule: string; option?: string }): string {
  return `${schedule} ${name}${option ? ` ?${option}` : ''}`;
}
