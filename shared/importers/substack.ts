import { comparableEmail } from '../contract/email.ts';
import type { ImportAnswers } from '../contract/features/import-export.ts';
import { decodedPath } from '../contract/site-paths.ts';
import { type Consent, createConsent } from './consent.ts';
import { type CsvRow, csvRows } from './csv-rows.ts';
import { type FileTree, type OpenTreeFile, ownNames, textOf } from './file-tree.ts';
import {
  draftFor,
  excerptOf,
  excluded,
  excludedFile,
  type ForeignRecord,
  type ForeignSite,
  futureDate,
  noted,
  slugOf,
  tooLong,
  unreadable,
} from './foreign-record.ts';
import { addressOf } from './markdown-places.ts';
import { anyZone, parseTime, readTime, type WrittenTime } from './parse-time.ts';
import { unreadableRow } from './people-list.ts';

const listOfPosts = /(?:^|\/)posts\.csv$/;
const textOfPost = /(?:^|\/)posts\/([^/]+)\.html$/;
const listOfReaders = /(?:^|\/)(?:email_list|subscribers?)[^/]*\.csv$/;

export const isSubstack = (names: readonly string[]) => names.some((name) => listOfPosts.test(name));

/** Opens a Substack export. Its images are still on the old site. */
export async function readSubstack(
  tree: FileTree,
  now: Date,
  answers: ImportAnswers = {},
): Promise<ForeignSite> {
  const consent = createConsent(answers, readerColumns);
  const names = ownNames(tree);
  const [, publication] = names.map((name) => /email_list\.([\w-]+)\.csv$/.exec(name)).find(Boolean) ?? [];
  const host = publication && `${publication.toLowerCase()}.substack.com`;
  return {
    source: publication ? `substack ${publication.toLowerCase()}` : 'substack',
    form: 'html',
    records: () => recordsOf(tree, names, now, consent),
    questions: consent.questions,
    placesOf({ target }) {
      const url = URL.parse(target, `https://${host ?? 'a.invalid'}`);
      if (!url || target.startsWith('#')) return [];
      const image = originalOf(url);
      if (image) return [image];
      if (url.host !== host) return [];
      const [, number] = linkToPart.exec(url.pathname) ?? [];
      if (number !== undefined) return [`/i/${number}`];
      return url.pathname.startsWith('/p/') ? [addressOf(url.pathname)] : [];
    },
    fragmentOf: (target) => linkToPart.exec(URL.parse(target)?.pathname ?? '')?.[2] ?? '',
    pictureAt: (position) => (position.startsWith('https://') ? position : null),
  };
}

/** Path of a link to a heading: the ID of its post and the words of the heading. */
const linkToPart = /^\/i\/(\d{1,20})\/([^/]+)/;

/** URL of the original of an image, whatever size a post shows; null if it is not an image of Substack. */
function originalOf(url: URL): string | null {
  if (url.host === 'substack-post-media.s3.amazonaws.com' || url.host.startsWith('bucketeer-'))
    return url.href;
  if (url.host !== 'substackcdn.com' && url.host !== 'cdn.substack.com') return null;
  const [, named] = /\/(https?(?::|%3A).+)$/i.exec(url.pathname) ?? [];
  return URL.parse(decodedPath(named ?? ''))?.href ?? url.href;
}

async function* recordsOf(
  tree: FileTree,
  names: readonly string[],
  now: Date,
  consent: Consent,
): AsyncGenerator<ForeignRecord> {
  const { posts, faults } = await listed(tree, names);
  const texts = names.filter((name) => textOfPost.test(name));
  for await (const file of tree.read(new Set(texts))) {
    const [, id = ''] = textOfPost.exec(file.name) ?? [];
    yield await postOf(file, id, posts.get(id) ?? posts.get(id.split('.', 1).join('')), now);
  }
  const known = new Set(texts.map((name) => textOfPost.exec(name)?.[1]));
  const numbers = new Set([...known].map((id) => id?.split('.', 1).join('')));
  for (const [id, row] of posts)
    if (!known.has(id) && !numbers.has(id))
      yield unreadable(
        { collection: 'posts', sourceId: id, title: row.get('title') ?? '' },
        'the export does not contain its text',
      );
  yield* faults;
  yield* readerRecords(
    tree,
    names.filter((name) => listOfReaders.test(name)),
    consent,
  );
  for (const name of names)
    if (![listOfPosts, textOfPost, listOfReaders].some((pattern) => pattern.test(name)))
      yield excludedFile(name, 'files of this kind have no equivalent here');
}

/** Rows of the list of posts by post ID, and the rows that cannot be read. */
async function listed(tree: FileTree, names: readonly string[]) {
  const posts = new Map<string, CsvRow>();
  const faults: ForeignRecord[] = [];
  for await (const file of tree.read(new Set(names.filter((name) => listOfPosts.test(name)))))
    for await (const row of csvRows(file.content()))
      if (row.fault === null) posts.set((row.get('post id') ?? '').normalize('NFC'), row);
      else if (faults.length < maxFaults)
        faults.push(unreadableRow('posts', `${file.name}, ${row.fault}`, row));
  return { posts, faults };
}

/** Maximum number of unreadable rows that are reported, since they are kept in memory. */
const maxFaults = 1_000;

/** Access tiers here by the audience of a post in Substack. */
const tiers: ReadonlyMap<string, string> = new Map([
  ['everyone', 'free'],
  ['only_free', 'registered'],
  ['only_paid', 'members'],
  ['founding', 'members'],
]);

/** Types of posts that Substack shows on the site. Other types are mailed to some readers only. */
const shownTypes: ReadonlySet<string> = new Set(['newsletter', 'podcast', 'video', 'thread', 'page']);

async function postOf(
  file: OpenTreeFile,
  id: string,
  row: CsvRow | undefined,
  now: Date,
): Promise<ForeignRecord> {
  const title = row?.get('title') ?? '';
  const about = { collection: 'posts', sourceId: id, title: title || id };
  const read = await textOf(file);
  if (!read) return unreadable(about, tooLong);
  const { text, notes } = read;
  const slug = id.replace(/^\d+\./, '');
  const address = `/p/${slug}`;
  const date = readTime(row?.get('post date'), anyZone);
  const type = row?.get('type') || 'newsletter';
  if (type !== 'newsletter')
    notes.push(`Imported as a post: the original was of the type ${type.slice(0, 50)}`);
  if (row?.get('podcast url')) notes.push(`Recording not imported: ${row.get('podcast url')?.slice(0, 500)}`);
  return {
    ...about,
    values: {
      title: title || '(untitled)',
      slug: slugOf('posts', slug, notes),
      content: text.trim(),
      excerpt: excerptOf(row?.get('subtitle') ?? '', notes),
      ...publicationOf(row, text, date, now, notes),
    },
    notes,
    places: slug === id ? [address] : [address, `/i/${Number.parseInt(id, 10)}`],
    addresses: slug === id ? [] : [address],
    created: date && date.latest <= now ? date.time : null,
  };
}

function publicationOf(
  row: CsvRow | undefined,
  text: string,
  date: WrittenTime | null,
  now: Date,
  notes: string[],
) {
  const access_tier = tiers.get(row?.get('audience') ?? '') ?? 'members';
  const why = row ? whyDraft(row, text) : 'posts.csv has no row for it';
  if (why !== null) return { ...draftFor(why, notes), access_tier };
  if (date && date.latest > now) return { ...draftFor(futureDate(date.latest), notes), access_tier };
  return { is_draft: false, access_tier, published_at: date?.time.toISOString() ?? null };
}

/** Reason to import a post as a draft: its readers there were not those of its access tier here. Null if they were. */
function whyDraft(row: CsvRow, text: string): string | null {
  const audience = row.get('audience') ?? '';
  const tier = tiers.get(audience);
  const type = row.get('type') || 'newsletter';
  if (row.get('is published')?.toLowerCase() !== 'true') return 'the original was not published';
  if (!tier) return `posts.csv has an unknown audience for it (${audience.slice(0, 50) || 'empty'})`;
  if (!shownTypes.has(type)) return `posts.csv has an unknown type for it (${type.slice(0, 50)})`;
  return tier !== 'members' && /class="paywall|PaywallToDOM/.test(text)
    ? 'a part of the original was for paying readers only'
    : null;
}

/**
 * Yields the readers of a publication. All become members, and paying ones get the `members` tier. Only those who
 * consented to mail also become subscribers.
 */
async function* readerRecords(
  tree: FileTree,
  names: readonly string[],
  consent: Consent,
): AsyncGenerator<ForeignRecord> {
  const lists = new Set(names);
  for await (const file of tree.read(lists))
    for await (const row of csvRows(file.content()))
      yield row.fault === null ? noted(memberOf(row), row.note) : unreadableRow('members', row.fault, row);
  for await (const file of tree.read(lists))
    for await (const row of csvRows(file.content())) if (row.fault === null) yield subscriberOf(row, consent);
}

/** Columns of Substack's lists of readers that do not decide who may be mailed. */
const readerColumns: ReadonlySet<string> = new Set([
  ...['email', 'name', 'active subscription', 'created at', 'start date', 'plan', 'stripe plan', 'expiry'],
]);

const isPaying = (row: CsvRow) =>
  row.get('active subscription')?.toLowerCase() === 'true' ||
  /^(?:paid|comp|gift|founding)/i.test(row.get('type') ?? '');

const readerOf = (row: CsvRow) => {
  const email = row.get('email') ?? '';
  return {
    sourceId: comparableEmail(email) || `line ${row.line}`,
    title: email,
    created: parseTime(row.get('created at') ?? row.get('start date')),
  };
};

function memberOf(row: CsvRow): ForeignRecord {
  const plan = row.get('plan') ?? '';
  return {
    collection: 'members',
    ...readerOf(row),
    values: {
      email: row.get('email') ?? '',
      name: row.get('name') ?? '',
      status: 'active',
      access_tiers: isPaying(row) ? ['members'] : [],
    },
    notes: isPaying(row) && plan ? [`Plan not imported: ${plan.slice(0, 50)}`] : [],
  };
}

function subscriberOf(row: CsvRow, consent: Consent): ForeignRecord {
  const about = { collection: 'subscribers', ...readerOf(row) };
  const why = consent.whyNoMail(row);
  if (why !== null) return excluded(about, why);
  return {
    ...about,
    values: { email: row.get('email') ?? '', name: row.get('name') ?? '', source: 'substack' },
  };
}
