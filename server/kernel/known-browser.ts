/** Whether the browser of a request is one that somebody signed in with before. */
export interface KnownBrowser {
  /** Undefined for one that nobody signed in with, and for programs. */
  id: string | undefined;
  /** Whether this person did. */
  isOf(person: string): boolean;
  /** Notes that this person has signed in with it. */
  remember(person: string): void;
}

export const unknownBrowser: KnownBrowser = { id: undefined, isOf: () => false, remember() {} };
