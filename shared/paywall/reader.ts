/** Who is reading: nothing known, or what a member's session, tiers and purchases open. */
export interface Reader {
  signedIn: boolean;
  tiers: readonly string[];
  /** Ids of records this reader bought. */
  purchases: readonly string[];
  /**
   * E-mail address of who bought too much for `purchases`: it is looked for as records are read, and what is made for this
   * reader is kept for nobody.
   */
  buyer?: string | undefined;
}

/** Of whom nothing is known: pages and the API share what they keep for all of them. */
export const anyone: Reader = { signedIn: false, tiers: [], purchases: [] };
