import type { Readable } from 'node:stream';
import {
  type ImportAnswers,
  type ImportMode,
  importExport,
} from '../../shared/contract/features/import-export.ts';
import { createShare } from '../../shared/db/shares.ts';
import { openUnnamedFile } from '../../shared/runtime/file-system.ts';
import { createTimedStream } from '../../shared/runtime/timeouts.ts';
import { ApiError } from '../api/api-error.ts';
import type { Infrastructure } from '../api/deps.ts';
import { exportSite } from './archive/export-site.ts';
import { exportCsv } from './export-csv.ts';
import { receiveFile } from './receive-file.ts';
import { reportImport } from './report-import.ts';
import { type GivenTicket, redeemTicket, requireOwner, type Ticket } from './tickets.ts';
import { withSiteLock } from './with-site-lock.ts';

/** A file on its way in, and what is to be done besides. */
interface IncomingTransfer {
  body: Readable;
  /** Pictures that it names by their address are fetched. */
  fetchMedia: boolean;
  mode: ImportMode;
  /** Answers to the questions about a list of people. */
  answers: ImportAnswers;
}

/** Called as soon as there is something to read. Who destroys the stream ends the work. */
type OnBegun = (answer: Readable) => void;

declare module '../api/deps.ts' {
  interface Deps {
    /** Sites on their way out and in, as a surface carries them. */
    transfers: ReturnType<typeof createTransfers>;
  }
}

/** Sites on their way out and in, each in its turn: every one of them takes room on the disk. */
export function createTransfers(deps: Infrastructure) {
  const share = createShare(importExport.atOnce);
  const wait = deps.timeouts.transfer;
  const inTurn = async (ticket: Ticket, work: (leave: Leave & { lost: AbortSignal }) => Promise<void>) => {
    let isItsTurn = false;
    const begin = () => {
      isItsTurn = true;
      return withSiteLock(deps, ticket.siteId, (lost) =>
        whileOwner(deps, ticket, (leave) => work({ ...leave, lost })),
      );
    };
    await share(ticket.siteId, begin).catch((cause: unknown) => {
      throw isItsTurn ? cause : new ApiError('transfer_busy', undefined, { cause });
    });
  };
  return {
    /** Uses a ticket up. Throws `not_found` for one that is not for any of `kinds`, or no longer good. */
    redeem: (ticket: GivenTicket) => redeemTicket(deps, ticket),
    /** Gives the archive of the site, or its people as CSV; resolves when it has been written. Throws `transfer_busy`. */
    send: (ticket: Ticket, onBegun: OnBegun) =>
      inTurn(ticket, async ({ ended }) => {
        const { siteId, kind } = ticket;
        const archive = createTimedStream(wait);
        ended.addEventListener('abort', () => archive.destroy(ended.reason));
        // What fails before its first byte can still be answered as an error.
        archive.once('readable', () => onBegun(archive));
        if (kind === 'subscribers' || kind === 'members') await exportCsv(deps, siteId, kind, archive);
        else await exportSite(deps, siteId, { to: archive });
      }),
    /** Receives a whole file, then writes a line for each record; resolves at the end. Throws `transfer_busy`, and errors of the body. */
    take: (ticket: Ticket, { body, fetchMedia, mode, answers }: IncomingTransfer, onBegun: OnBegun) =>
      inTurn(ticket, async ({ lost, ended: left, ask }) => {
        const ended = AbortSignal.any([lost, left]);
        const { siteId, kind, actor } = ticket;
        await using file = await openUnnamedFile('import');
        await receiveFile(file, { body, ended }, wait);
        await ask();
        ended.throwIfAborted();
        const lines = createTimedStream(wait);
        onBegun(lines);
        const fetchPictures = fetchMedia ? deps.webhooks.rule : undefined;
        await reportImport(
          deps,
          file,
          { siteId, actor, dryRun: kind === 'check', mode, fetchPictures, answers, ended },
          lines,
        );
      }),
  };
}

/** Looks in the time after which whoever sends or reads nothing is cut off: each 5 s. */
const perTimeout = 6;

/** Whether a move may go on. */
interface Leave {
  /** Aborted soon after that has ended. */
  ended: AbortSignal;
  /** Asks now. Throws `not_found`. */
  ask(): Promise<void>;
}

/** Does work that takes long, and is told when whoever began it is no owner of the site any more. */
async function whileOwner<T>(
  deps: Pick<Infrastructure, 'database' | 'timeouts'>,
  ticket: Pick<Ticket, 'siteId' | 'actor'>,
  work: (leave: Leave) => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  const ask = () => requireOwner(deps, ticket);
  const looking = setInterval(() => {
    // Where the database could not be asked, it is asked again.
    ask().catch((reason: unknown) => reason instanceof ApiError && ended.abort(reason));
  }, deps.timeouts.transfer.stalledMs / perTimeout);
  try {
    return await work({ ended: ended.signal, ask });
  } finally {
    clearInterval(looking);
  }
}
