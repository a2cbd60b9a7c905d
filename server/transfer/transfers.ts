import type { Readable } from 'node:stream';
import {
  type ImportAnswers,
  type ImportMode,
  importExport,
} from '../../shared/contract/features/import-export.ts';
import { createConcurrencyQuota } from '../../shared/db/concurrency-quota.ts';
import { openUnnamedFile } from '../../shared/runtime/file-system.ts';
import { createTimedStream } from '../../shared/runtime/timeouts.ts';
import { type GivenTicket, redeemTicket, requireOwner, type Ticket } from '../api/access/transfer-tickets.ts';
import { ApiError } from '../api/api-error.ts';
import type { Infrastructure } from '../api/deps.ts';
import { exportSite } from './archive/export-site.ts';
import { exportCsv } from './export-csv.ts';
import { receiveFile } from './receive-file.ts';
import { reportImport } from './report-import.ts';
import { withSiteLock } from './with-site-lock.ts';

/** Uploaded file with the options of its import. */
interface IncomingTransfer {
  body: Readable;
  /** True to fetch images that the file references by URL. */
  fetchMedia: boolean;
  mode: ImportMode;
  /** Answers to the questions about a list of people. */
  answers: ImportAnswers;
}

/** Receives the response as soon as it has content. Destroying the stream ends the transfer. */
type OnBegun = (answer: Readable) => void;

declare module '../api/deps.ts' {
  interface Deps {
    /** Running exports and imports. */
    transfers: ReturnType<typeof createTransfers>;
  }
}

/**
 * Creates the functions that run exports and imports, few at a time, since each needs space on the disk. A transfer
 * waits for its turn for up to 2 seconds, then for the site's lock. It ends with `not_found` if its owner loses the
 * role.
 */
export function createTransfers(deps: Infrastructure) {
  const quota = createConcurrencyQuota(importExport.atOnce);
  const wait = deps.timeouts.transfer;
  const inTurn = async (
    ticket: Ticket,
    work: (ownerCheck: OwnerCheck & { lost: AbortSignal }) => Promise<void>,
  ) => {
    let isItsTurn = false;
    const begin = () => {
      isItsTurn = true;
      return withSiteLock(deps, ticket.siteId, (lost) =>
        whileOwner(deps, ticket, (ownerCheck) => work({ ...ownerCheck, lost })),
      );
    };
    await quota(ticket.siteId, begin).catch((cause: unknown) => {
      throw isItsTurn ? cause : new ApiError('transfer_busy', undefined, { cause });
    });
  };
  return {
    /** Redeems a ticket. Throws `not_found` if it is invalid or not for one of the request's `kinds`. */
    redeem: (ticket: GivenTicket) => redeemTicket(deps, ticket),
    /** Writes the archive of the site, or its people as CSV. Resolves when it has been written. Throws `transfer_busy`. */
    send: (ticket: Ticket, onBegun: OnBegun) =>
      inTurn(ticket, async ({ ended }) => {
        const { siteId, kind } = ticket;
        const archive = createTimedStream(wait);
        ended.addEventListener('abort', () => archive.destroy(ended.reason));
        // Until the first byte, a failure can still be returned as an error response.
        archive.once('readable', () => onBegun(archive));
        if (kind === 'subscribers' || kind === 'members') await exportCsv(deps, siteId, kind, archive);
        else await exportSite(deps, siteId, archive);
      }),
    /**
     * Receives a whole file, then writes a line for each record. Resolves at the end. Throws `transfer_busy`, and errors of the
     * body.
     */
    take: (ticket: Ticket, { body, fetchMedia, mode, answers }: IncomingTransfer, onBegun: OnBegun) =>
      inTurn(ticket, async ({ lost, ended: left, begin }) => {
        const ended = AbortSignal.any([lost, left]);
        const { siteId, kind, actor } = ticket;
        await using file = await openUnnamedFile('import');
        await receiveFile(file, { body, ended }, wait);
        await begin();
        ended.throwIfAborted();
        const lines = createTimedStream(wait);
        onBegun(lines);
        const fetchImages = fetchMedia ? deps.webhooks.rule : undefined;
        await reportImport(
          deps,
          file,
          { siteId, actor, dryRun: kind === 'check', mode, fetchImages, answers, ended },
          lines,
        );
      }),
  };
}

/** Number of owner checks within the time after which a stalled transfer ends: one every 5 s by default. */
const perTimeout = 6;

/** Check during a transfer that the person who started it is still an owner. */
interface OwnerCheck {
  /** Aborted soon after the person loses the owner role. */
  ended: AbortSignal;
  /** Checks the role now. Throws `not_found`. */
  begin(): Promise<void>;
}

/** Runs a long transfer and aborts its signal if the person who started it is no longer an owner. */
async function whileOwner<T>(
  deps: Pick<Infrastructure, 'database' | 'timeouts'>,
  ticket: Pick<Ticket, 'siteId' | 'actor'>,
  work: (ownerCheck: OwnerCheck) => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  const begin = () => requireOwner(deps, ticket);
  const looking = setInterval(() => {
    // If the database cannot be queried, the next check tries again.
    begin().catch((reason: unknown) => reason instanceof ApiError && ended.abort(reason));
  }, deps.timeouts.transfer.stalledMs / perTimeout);
  try {
    return await work({ ended: ended.signal, begin });
  } finally {
    clearInterval(looking);
  }
}
