import type { Page } from 'playwright-core';
import type { Hands } from '../../support/hands.ts';

/** Where somebody works by keys. */
export interface Desk {
  page: Page;
  hands: Hands;
  /** Waits until the studio says so. What it said on the screen before still stands there, and may be the very same. */
  told(words: string): Promise<void>;
  /** What went wrong on pages. */
  faults: string[];
  records: Prepared;
}

/** What is there to be worked on. */
export interface Prepared {
  post: string;
  course: string;
  webhook: string;
  /** A post that is changed by somebody else, when it is told to. */
  conflict: string;
  changeElsewhere(): Promise<unknown>;
}

/** What is done on a screen, by keys alone; it ends with what the screen says. */
export type Steps = Record<string, { at(records: Prepared): string; work(desk: Desk): Promise<unknown> }>;
