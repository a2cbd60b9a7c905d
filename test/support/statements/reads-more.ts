interface MoreReads {
  why: string;
  /**
   * Maximum number of rows that a statement may read. The site has 20,000 posts, beside 2,000 sites with five
   * rows per table.
   */
  most: number;
  /** True if it may read a whole table. */
  whole?: boolean;
  statements: readonly RegExp[];
}

/** Statements that read more than ten times as many rows as they return. */
export const readsMore: readonly MoreReads[] = [
  {
    why: 'what a filter or a search finds is counted, and ranked, in an index alone: walked over once for the page, once for the total',
    most: 45_000,
    statements: [/^with "(walked|counted)" as materialized/],
  },
  {
    why: 'a site map names the first record of each of its parts',
    most: 25_000,
    statements: [/row_number\(\) over/],
  },
  {
    why: 'posts like another are chosen from the latest 300',
    most: 400,
    statements: [/^select .* as "before"/],
  },
  {
    why: "whether a picture is used stands in the site's texts, which have no index of addresses",
    most: 25_000,
    statements: [/position\(\$\d+ in "title"\)/],
  },
  {
    why: "a site's audit log is short, and what is asked of it rare: one index, by time, finds its rows, which are then looked through",
    most: 1_000,
    statements: [/from "audit_log" where "site_id"/],
  },
  {
    why: 'once a day what is past its time is removed from tables that have no index of it, since each write would pay for that',
    most: 15_000,
    whole: true,
    statements: [/^delete from "\w+" where ctid in \( select ctid/],
  },
];
