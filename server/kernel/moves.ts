import type { Readable } from 'node:stream';
import type { Actor } from '../../shared/contract/history.ts';
import type { Move } from '../../shared/contract/moving.ts';

/** What somebody with a ticket may do, once. */
export interface MoveTicket {
  siteId: string;
  move: Move;
  /** Who asked for it. */
  actor: Actor;
}

/** A file on its way in, and what is to be done besides. */
interface MovedFile {
  body: Readable;
  /** Pictures that it names by their address are fetched. */
  fetchMedia: boolean;
}

/** Called as soon as there is something to read. Who destroys the stream ends the work. */
export type OnBegun = (answer: Readable) => void;

/** Sites on their way out and in, as a surface carries them. */
export interface Moves {
  /** Uses a ticket up. Throws `not_found` for one that is not for any of `moves`, or no longer good. */
  redeem(ticket: { siteId: string; token: string; moves: readonly Move[] }): Promise<MoveTicket>;
  /** Gives the archive of the site; resolves when it has been written. Throws `moving_busy`. */
  send(ticket: MoveTicket, onBegun: OnBegun): Promise<void>;
  /**
   * Takes a file whole, then gives a line of what becomes of each record; resolves when it has ended. Throws
   * `moving_busy`, and what is wrong with the body as far as nothing is given yet.
   */
  take(ticket: MoveTicket, file: MovedFile, onBegun: OnBegun): Promise<void>;
}
