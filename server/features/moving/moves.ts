import { moving } from '../../../shared/contract/limits.ts';
import { createShare } from '../../../shared/db/shares.ts';
import { ApiError } from '../../kernel/api-error.ts';
import type { Infrastructure } from '../../kernel/deps.ts';
import type { Moves } from '../../kernel/moves.ts';
import { createTimedStream } from '../../kernel/patience.ts';
import { openUnnamedFile } from '../../kernel/unnamed-file.ts';
import { alone } from './alone.ts';
import { exportSite } from './export-site.ts';
import { receiveFile } from './receive-file.ts';
import { tellImport } from './tell-import.ts';
import { redeemTicket } from './tickets.ts';

/** Sites on their way out and in, each in its turn: every one of them takes room on the disk. */
export function createMoves(deps: Infrastructure): Moves {
  const share = createShare(moving.atOnce);
  const wait = deps.patience.move;
  const inTurn = async (siteId: string, work: (lost: AbortSignal) => Promise<void>) => {
    let isItsTurn = false;
    const begin = () => {
      isItsTurn = true;
      return alone(deps, siteId, work);
    };
    await share(siteId, begin).catch((cause: unknown) => {
      throw isItsTurn ? cause : new ApiError('moving_busy', undefined, { cause });
    });
  };
  return {
    redeem: (ticket) => redeemTicket(deps, ticket),
    send: ({ siteId }, onBegun) =>
      inTurn(siteId, async () => {
        const archive = createTimedStream(wait);
        // What fails before its first byte can still be answered as an error.
        archive.once('readable', () => onBegun(archive));
        await exportSite(deps, siteId, { to: archive });
      }),
    take: ({ siteId, move, actor }, { body, fetchMedia }, onBegun) =>
      inTurn(siteId, async (lost) => {
        await using file = await openUnnamedFile('import');
        await receiveFile(file, body, wait);
        lost.throwIfAborted();
        const lines = createTimedStream(wait);
        onBegun(lines);
        const fetchPictures = fetchMedia ? deps.webhooks.rule : undefined;
        await tellImport(deps, { file, siteId, actor, dryRun: move === 'check', fetchPictures, lost }, lines);
      }),
  };
}
