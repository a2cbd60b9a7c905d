import type { Readable } from 'node:stream';
import type { TransferKind } from '../../shared/contract/features/import-export.ts';
import type { Actor } from '../../shared/contract/history.ts';

/** What somebody with a ticket may do, once. */
export interface Ticket {
  siteId: string;
  kind: TransferKind;
  /** Who asked for it. */
  actor: Actor;
}

/** A file on its way in, and what is to be done besides. */
interface IncomingTransfer {
  body: Readable;
  /** Pictures that it names by their address are fetched. */
  fetchMedia: boolean;
}

/** Called as soon as there is something to read. Who destroys the stream ends the work. */
export type OnBegun = (answer: Readable) => void;

/** Sites on their way out and in, as a surface carries them. */
export interface Transfers {
  /** Uses a ticket up. Throws `not_found` for one that is not for any of `kinds`, or no longer good. */
  redeem(ticket: { siteId: string; token: string; kinds: readonly TransferKind[] }): Promise<Ticket>;
  /** Gives the archive of the site, or its people as CSV; resolves when it has been written. Throws `moving_busy`. */
  send(ticket: Ticket, onBegun: OnBegun): Promise<void>;
  /**
   * Takes a file whole, then gives a line of what becomes of each record; resolves when it has ended. Throws
   * `moving_busy`, and what is wrong with the body as far as nothing is given yet.
   */
  take(ticket: Ticket, file: IncomingTransfer, onBegun: OnBegun): Promise<void>;
}
