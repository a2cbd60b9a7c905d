import type { Page } from 'playwright-core';
import type { KeyboardUser } from '../../support/keyboard-user.ts';

/** Environment of a test by keyboard. */
export interface Desk {
  page: Page;
  hands: KeyboardUser;
  /** Waits for a notification with this text. Those of the previous screen are ignored. */
  told(words: string): Promise<void>;
  /** Errors on pages. */
  faults: string[];
  records: Prepared;
}

/** Prepared records. */
export interface Prepared {
  post: string;
  course: string;
  webhook: string;
  /** A post that `changeElsewhere` changes as another client. */
  conflict: string;
  changeElsewhere(): Promise<unknown>;
}

/** Steps on a screen, by keyboard alone; they end by waiting for a result. */
export type Steps = Record<string, { at(records: Prepared): string; work(desk: Desk): Promise<unknown> }>;
