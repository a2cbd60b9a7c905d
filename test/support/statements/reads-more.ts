interface MoreReads {
  why: string;
  /**
   * Maximum number of rows that a statement may read. The site has 20,000 posts, beside 2,000 sites with five rows per
   * table.
   */
  max: number;
  /** True if it may read a whole table. */
  whole?: boolean;
  statements: readonly RegExp[];
}

/** Statements that read more than ten times as many rows as they return. */
export const readsMore: readonly MoreReads[] = [
  {
    why: 'matches of a filter or search are counted and ranked in an index alone: read once for the page, once for the total',
    max: 45_000,
    statements: [/^with "(walked|counted)" as materialized/],
  },
  {
    why: 'a sitemap index needs the first record of each of its parts',
    max: 25_000,
    statements: [/row_number\(\) over/],
  },
  {
    why: 'mailboxes with several memberships are counted in an index alone, which has the running memberships of the site',
    max: 3_000,
    statements: [/'two_memberships'/],
  },
  {
    why: 'related posts are chosen from the latest 300',
    max: 400,
    statements: [/^select .* as "before"/],
  },
  {
    why: "the uses of an image are found in the site's texts, which have no index of URLs",
    max: 25_000,
    statements: [/position\(\$\d+ in "title"\)/],
  },
  {
    why: "a site's audit log is short and rarely read: an index by time finds its rows, which are then filtered",
    max: 1_000,
    statements: [/from "audit_log" where "site_id"/],
  },
  {
    why: 'expired rows are deleted once a day from tables without an index for that, because each write would pay for it',
    max: 15_000,
    whole: true,
    statements: [/^delete from "\w+" where ctid in \( select ctid/],
  },
];
