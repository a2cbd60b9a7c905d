import type { SearchedCollection } from '../../../shared/contract/features/search.ts';
import type { SiteScope } from '../../api/transaction.ts';
import { type FieldQueries, type Hit, newestIn, type RankedHit, rankFew, rankNewest } from './find.ts';
import type { SearchQueries, TermQueries } from './search-terms.ts';

/**
 * Search ranking.
 *
 * A search moves through these steps, and ends at the first one that suffices. Results are in tiers: words in titles before
 * texts, all words before some, and the newest first.
 *
 * - The newest 100 records of each collection are scanned. For a small site this is complete.
 * - If few of these match, the search index finds all matches, which are sorted if there are fewer than 300 per collection.
 * - Otherwise tiers are filled one by one: from the scans if they have enough hits, then from the index. Collections with too
 *   many matches to sort get a longer scan instead.
 *
 * The database updates the search index in the transaction of each write, so a search sees every committed change.
 */

interface RankRequest {
  types: readonly SearchedCollection[];
  limit: number;
  wanted: SearchQueries;
}

/**
 * Number of newest records of each collection that are scanned first. A small site has no more, and frequent words are among
 * them.
 */
const firstScan = 100;

/** Share of the first scan above which words are found by longer scans. The index would have to read all matches. */
const common = 0.1;

/**
 * Share of scanned records, from 0 to 1, from which the words of a phrase count as very common. The phrase is then
 * searched in a longer scan, because the index would return too many matches.
 */
const veryCommon = 0.5;

/**
 * Length of a longer scan, and number of matches that count as many. The index does not know the order of words: a phrase
 * with many matches is only searched in the longer scan.
 */
const longerScans = { words: { newest: 600, many: 5_000 }, order: { newest: 1_000, many: 1_000 } };

/**
 * Finds the best hits, at most `limit`: titles before texts, all words before some, and the newest first among
 * equals. Empty if nothing matches.
 */
export async function findBest(site: SiteScope, { types, limit, wanted }: RankRequest): Promise<Hit[]> {
  const tiers = tiersOf(wanted);
  const { readsTexts } = wanted;
  const scans = await scan(site, types, tiers, firstScan, readsTexts);
  const open = types.filter((type) => !scans.get(type)?.isWhole);
  const isCommon = open.some((type) => {
    const { hits = [], loosely = [] } = scans.get(type) ?? {};
    return Math.max(hits.length / firstScan, ...loosely) > common;
  });
  const few = open.length === 0 ? [] : isCommon ? null : await rankFew(site, open, tiers, wanted.widest);
  if (few) return inOrder([...few, ...hitsOf(scans, (type) => !open.includes(type))]).slice(0, limit);
  return findTierByTier(site, { types, limit, wanted, tiers, scans });
}

interface ScanResult {
  hits: RankedHit[];
  /**
   * For each search tier, share of the scanned records that have the words of the tier in any order. Empty if word
   * order does not matter.
   */
  loosely: number[];
  isWhole: boolean;
  isLast: boolean;
}

type Scans = Map<SearchedCollection, ScanResult>;

async function scan(
  site: SiteScope,
  types: RankRequest['types'],
  tiers: readonly FieldQueries[],
  newest: number,
  readsTexts: boolean,
): Promise<Scans> {
  const rows = await rankNewest(site, types, tiers, newest, readsTexts);
  return new Map(
    types.map((type) => {
      const seen = rows.filter((row) => row.type === type);
      const hits = seen.flatMap(({ type, id, at, rank }) => (rank === null ? [] : [{ type, id, at, rank }]));
      const loosely = tiers.map(
        (_, rank) => seen.filter((row) => row.loosely[rank]).length / Math.max(seen.length, 1),
      );
      const isWhole = seen.length < newest && seen.every((row) => row.is_read);
      return [type, { hits, loosely, isWhole, isLast: newest > firstScan }];
    }),
  );
}

const hitsOf = (scans: Scans, isOf: (type: SearchedCollection) => boolean): RankedHit[] =>
  [...scans].flatMap(([type, { hits }]) => (isOf(type) ? hits : []));

const inOrder = (hits: RankedHit[]) =>
  hits.sort((one, other) => one.rank - other.rank || newerFirst(one, other));

const newerFirst = (one: Hit, other: Hit) => other.at - one.at || (one.id < other.id ? 1 : -1);

async function findTierByTier(site: SiteScope, ranking: Ranking): Promise<Hit[]> {
  const best = new Map<string, Hit>();
  for (const rank of ranking.tiers.keys()) {
    const hits = await hitsOfTier(site, ranking, rank, best.size);
    for (const hit of hits.sort(newerFirst)) {
      const key = `${hit.type} ${hit.id}`;
      if (!best.has(key)) best.set(key, hit);
    }
    if (best.size >= ranking.limit) break;
  }
  return [...best.values()].slice(0, ranking.limit);
}

interface Ranking extends RankRequest {
  tiers: readonly FieldQueries[];
  /** Latest scan of each collection. A longer scan replaces the first one. */
  scans: Scans;
}

/**
 * Returns the newest hits of a search tier in each collection, in addition to `known` ones: from scans if they suffice,
 * otherwise by the index.
 */
async function hitsOfTier(
  site: SiteScope,
  { types, limit, wanted: { readsTexts }, tiers, scans }: Ranking,
  rank: number,
  known: number,
): Promise<Hit[]> {
  const { newest, many } = readsTexts ? longerScans.order : longerScans.words;
  const scanned = (type: SearchedCollection) =>
    (scans.get(type)?.hits ?? []).filter((hit) => hit.rank === rank);
  const isEnough = (type: SearchedCollection) =>
    scans.get(type)?.isWhole || scanned(type).length >= limit - known;
  const isMany = (type: SearchedCollection) =>
    readsTexts && (scans.get(type)?.loosely[rank] ?? 0) >= veryCommon;
  // Some hits of a search tier may be known from an earlier tier.
  const byIndex = (ranking: RankRequest['types'], many?: number) =>
    ranking.length > 0
      ? newestIn(site, ranking, tiers[rank] ?? {}, limit + known, many)
      : Promise.resolve({ hits: [], many: [] });

  const left = types.filter((type) => !isEnough(type));
  const found = await byIndex(
    left.filter((type) => !isMany(type)),
    many,
  );
  const manyOf = [...left.filter(isMany), ...found.many];
  const farther = manyOf.filter((type) => !scans.get(type)?.isLast);
  if (farther.length > 0)
    for (const [type, longer] of await scan(site, farther, tiers, newest, readsTexts))
      scans.set(type, longer);
  const beyond = readsTexts ? [] : manyOf.filter((type) => !isEnough(type));
  const hits = [...found.hits, ...(await byIndex(beyond)).hits];
  const indexed = new Set(hits.map(({ type }) => type));
  return [...hits, ...types.filter((type) => !indexed.has(type)).flatMap(scanned)];
}

function tiersOf({ exact, forms, some, widest, excludes }: SearchQueries): FieldQueries[] {
  // Excluded words must not be in the text either.
  const titled = (title: TermQueries): FieldQueries => (excludes ? { title, text: widest } : { title });
  return [
    titled(exact),
    ...(forms ? [titled(forms)] : []),
    ...(some ? [{ title: some, text: forms ?? exact }] : []),
    { text: exact },
    ...(forms ? [{ text: forms }] : []),
    ...(some ? [titled(some), { text: some }] : []),
  ];
}
