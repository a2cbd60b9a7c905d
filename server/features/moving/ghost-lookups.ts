import { z } from 'zod';
import { jsonRows } from './json-rows.ts';
import type { Content } from './source-file.ts';

const id = z.union([z.string(), z.number()]).transform(String);

/** What rows point at, gathered before the rows themselves are read again. */
export interface GhostLookups {
  /** When the export is read. */
  now: Date;
  tags: Map<string, { name: string; isInternal: boolean }>;
  tagsOfPost: Map<string, string[]>;
  labels: Map<string, string>;
  labelsOfMember: Map<string, string[]>;
  payingMembers: Set<string>;
  subscribedMembers: Set<string>;
  /** What the old site's database calls itself. */
  databaseHash: string | null;
  /** Whether its ids are numbers, as another site has them too. */
  countsIds: boolean;
  /** How many rows there are of each table that is not taken. */
  leftOut: Map<string, number>;
}

/** Tables whose rows become records, and those that say something of these. */
export const records = ['posts', 'members'] as const;

type Reader = (row: unknown, lookups: GhostLookups) => void;

const reading =
  <Contract extends z.ZodType>(
    contract: Contract,
    read: (row: z.infer<Contract>, lookups: GhostLookups) => void,
  ): Reader =>
  (row, lookups) => {
    const known = contract.safeParse(row);
    if (known.success) read(known.data, lookups);
  };

function add(lists: Map<string, string[]>, key: string, value: string) {
  const known = lists.get(key);
  if (known) known.push(value);
  else lists.set(key, [value]);
}

const lookupTables: Readonly<Record<string, Reader>> = {
  tags: reading(
    z.object({ id, name: z.string(), visibility: z.string().nullish() }),
    ({ id, name, visibility }, { tags }) =>
      tags.set(id, { name, isInternal: visibility === 'internal' || name.startsWith('#') }),
  ),
  posts_tags: reading(z.object({ post_id: id, tag_id: id }), ({ post_id, tag_id }, { tagsOfPost }) =>
    add(tagsOfPost, post_id, tag_id),
  ),
  labels: reading(z.object({ id, name: z.string() }), ({ id, name }, { labels }) => labels.set(id, name)),
  members_labels: reading(
    z.object({ member_id: id, label_id: id }),
    ({ member_id, label_id }, { labelsOfMember }) => add(labelsOfMember, member_id, label_id),
  ),
  members_products: reading(z.object({ member_id: id }), ({ member_id }, { payingMembers }) =>
    payingMembers.add(member_id),
  ),
  members_newsletters: reading(z.object({ member_id: id }), ({ member_id }, { subscribedMembers }) =>
    subscribedMembers.add(member_id),
  ),
};

/** Ids that no other site has: of 12 bytes, as Ghost makes them from its version 1 on. */
const ownId = /^[0-9a-f]{24}$/;

const readId = reading(z.object({ id }), (row, lookups) => {
  lookups.countsIds ||= !ownId.test(row.id);
});

const readSetting = reading(
  z.object({ key: z.enum(['db_hash', 'dbHash']), value: z.string().min(1).max(100) }),
  ({ value }, lookups) => {
    lookups.databaseHash = value;
  },
);

/** Reads what rows point at; the rest is counted. */
export async function lookUp(content: Content, now: Date): Promise<GhostLookups> {
  const lookups: GhostLookups = {
    now,
    tags: new Map(),
    tagsOfPost: new Map(),
    labels: new Map(),
    labelsOfMember: new Map(),
    payingMembers: new Set(),
    subscribedMembers: new Set(),
    databaseHash: null,
    countsIds: false,
    leftOut: new Map(),
  };
  for await (const { table, row } of jsonRows(content())) {
    if (table === 'settings') readSetting(row, lookups);
    if (table === 'posts') readId(row, lookups);
    const read = Object.hasOwn(lookupTables, table) ? lookupTables[table] : undefined;
    read?.(row, lookups);
    if (!read && !records.some((name) => name === table))
      lookups.leftOut.set(table, (lookups.leftOut.get(table) ?? 0) + 1);
  }
  return lookups;
}
