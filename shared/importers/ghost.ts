import path from 'node:path';
import { decodedPath } from '../contract/site-paths.ts';
import { bytesOf, type FileTree, isForPrograms } from './file-tree.ts';
import { excluded, excludedFile, type ForeignRecord, type ForeignSite, noted } from './foreign-record.ts';
import { matterOf, parseMatter, parseValues } from './front-matter.ts';
import { type GhostLookups, lookUp, records } from './ghost-lookups.ts';
import { ghostAddress, memberOf, postOf, slugKey, subscriberOf } from './ghost-records.ts';
import { jsonRows } from './json-rows.ts';
import { addressOf } from './markdown-places.ts';
import { textsOf } from './publication-setting.ts';
import type { FileContent } from './source-file.ts';

/**
 * Opens a Ghost export. Its JSON file is read several times, because rows may precede those that they refer to. A
 * database hash distinguishes sites whose IDs are only numbers. An archive also contains images. Throws `SourceError`
 * if the file is no JSON export.
 */
export async function readGhost(content: FileContent, now: Date, tree?: FileTree): Promise<ForeignSite> {
  const lookups = await lookUp(content, now);
  if (tree) await readRoutes(tree, lookups);
  const redirects = tree ? await readRedirects(tree) : [];
  const { databaseHash, countsIds } = lookups;
  const files = tree?.files.map(({ name }) => name) ?? [];
  const folder = files.map((name) => filesFolder.exec(name)?.[1]).find((found) => found !== undefined) ?? '';
  return {
    source: countsIds && databaseHash ? `ghost ${databaseHash}` : 'ghost',
    hasSharedIds: countsIds && !databaseHash,
    form: 'html',
    records: () => recordsOf(content, lookups, files, redirects),
    placesOf({ target }) {
      if (!target.startsWith(ghostAddress)) return [];
      const path = target.slice(ghostAddress.length).split(/[?#]/, 1).join('');
      return path.startsWith(contentFolder)
        ? [originalOf(path), path].map(
            (each) => `${folder}${decodedPath(each.slice(contentFolder.length)).normalize('NFC')}`,
          )
        : [addressOf(path)];
    },
    ...(tree && { tree }),
    cleaned: (body) => body.replaceAll(ghostAddress, '').replace(cardParts, '').replace(publisher, ' · $&'),
  };
}

/** Reads `routes.yaml` of an archive: URL patterns of posts, tags and authors, and whether all posts are public. */
async function readRoutes(tree: FileTree, { permalinks, closed, taxonomies }: GhostLookups) {
  const names = tree.files.map(({ name }) => name).filter((name) => /(?:^|\/)routes\.ya?ml$/.test(name));
  for await (const file of tree.read(new Set(names.slice(0, 1)))) {
    const routes = file.size > maxRoutesBytes ? null : parseMatter((await bytesOf(file)).toString(), 'yaml');
    const collections = [...matterOf(routes?.get('collections')).values()].map(matterOf);
    for (const name of ['tag', 'author'] as const) {
      const [pattern = ''] = textsOf(matterOf(routes?.get('taxonomies')).get(name));
      if (slugKey.test(pattern) && pattern.length <= maxPatternLength) taxonomies[name] = pattern;
    }
    permalinks.push(...collections.flatMap((each) => textsOf(each.get('permalink'))).slice(0, maxRoutes));
    if (!areAllShown(collections.map((each) => textsOf(each.get('filter'))[0] ?? '')))
      closed.posts = `${file.name} publishes only some posts`;
  }
}

/**
 * Returns whether every post belongs to a collection: one has no filter, or one includes what another excludes (`tag:a`
 * and `tag:-a`).
 */
const areAllShown = (filters: readonly string[]) =>
  filters.some((filter) => {
    const [, name, value] = /^([\w.]+):([^-+,()]+)$/.exec(filter) ?? [];
    return filter === '' || (value !== undefined && filters.includes(`${name}:-${value}`));
  });

const maxRoutesBytes = 64 * 1024;

const maxPatternLength = 500;

const maxRoutes = 20;

/**
 * Parts of Ghost's cards that are removed, because they depend on its script or style: playing times, bookmark icons and
 * placeholder posters.
 */
const cardParts =
  /<span class="kg-(?:audio|video)-current-time">[^<]*<\/span>|<div class="kg-(?:audio|video)-time">\/<span[^<>]*>[^<]*<\/span><\/div>|<img class="kg-bookmark-icon"[^<>]*>| poster="https:\/\/img\.spacergif\.org\/[^"]*"/g;

const publisher = /(?<=<\/span>)<span class="kg-bookmark-publisher"/g;

/** Path below which the old site serves its files. The names of files in a backup do not contain it. */
const contentFolder = '/content/';

const filesFolder = /^(?!(?:.*\/)?themes\/)((?:.*?\/)?)(?:images|media|files)\//;

/** Path of the original of a resized image. */
const originalOf = (path: string) =>
  path.replace(/\/size\/w\d+(?:h\d+)?(?=\/)/, '').replace(/\/format\/\w+(?=\/)/, '');

async function* recordsOf(
  content: FileContent,
  lookups: GhostLookups,
  files: readonly string[],
  redirects: readonly ForeignRecord[],
): AsyncGenerator<ForeignRecord> {
  for (const table of records) yield* rowsOf(content, table, lookups);
  // After the members, so that all records of a collection are consecutive.
  yield* rowsOf(content, 'subscribers', lookups);
  for (const [table, rows] of lookups.excluded)
    yield excluded(
      { collection: table, sourceId: table, title: `${rows} ${rows === 1 ? 'row' : 'rows'}` },
      whyExcluded(table === 'settings' ? lookups.settings : new Map()),
    );
  for (const name of files)
    if (name.endsWith('.csv')) yield excludedFile(name, 'import this list of people as a separate file');
    else if (!isForPrograms(name) && !/\.json$|(?:^|\/)(?:routes|redirects)\.ya?ml$/.test(name))
      yield excludedFile(name, 'no post or page uses this file');
  yield* redirects;
}

async function* rowsOf(
  content: FileContent,
  wanted: (typeof records)[number] | 'subscribers',
  lookups: GhostLookups,
): AsyncGenerator<ForeignRecord> {
  const make = { posts: postOf, members: memberOf, subscribers: subscriberOf }[wanted];
  const from = wanted === 'posts' ? 'posts' : 'members';
  let position = 0;
  for await (const { table, row, note } of jsonRows(content())) {
    if (table !== from) continue;
    position += 1;
    const record = make(row, lookups, position);
    if (record) yield noted(record, note);
  }
}

const redirectsFile = /(?:^|\/)redirects\.(?:ya?ml|json)$/;

/** Maximum size of a redirects file, in bytes. Parsing time and memory grow with it. */
const maxLength = 512 * 1024;

/** Reads the redirects of an archive, in the YAML or JSON form of Ghost. */
async function readRedirects(tree: FileTree): Promise<ForeignRecord[]> {
  const [name = ''] = tree.files.map((file) => file.name).filter((each) => redirectsFile.test(each));
  for await (const file of tree.read(new Set([name]))) {
    const text = file.size > maxLength ? null : (await bytesOf(file)).toString();
    const values =
      text === null ? undefined : parseValues(text, path.posix.extname(name).slice(1), maxLength);
    if (values === undefined) return [excludedFile(name, 'the redirects in it cannot be read')];
    return Array.isArray(values)
      ? values.map(matterOf).map(ofList)
      : ['301', '302'].flatMap((code) => ofCode(matterOf(values).get(code) ?? {}, code));
  }
  return [];
}

function ofList(each: ReadonlyMap<string, unknown>): ForeignRecord {
  const [[from], [to]] = [textsOf(each.get('from')), textsOf(each.get('to'))];
  return redirectOf(from, to, each.get('permanent') === true);
}

const ofCode = (redirects: unknown, code: string): ForeignRecord[] =>
  typeof redirects === 'object' && redirects !== null && !Array.isArray(redirects)
    ? Object.entries(redirects).map(([from, to]) => redirectOf(from, textsOf(to)[0], code === '301'))
    : [redirectOf(undefined, undefined, false)];

/** Record of a redirect. The source is a regular expression; it is imported if it matches exactly one path. */
function redirectOf(from: string | undefined, to: string | undefined, permanent: boolean): ForeignRecord {
  const about = { collection: 'redirects', sourceId: from ?? 'redirects', title: from ?? '' };
  if (from === undefined || to === undefined)
    return excluded(about, 'the redirect has no source or no target');
  // Remove escapes first, so that the end of `^\/a\/?$` is recognized.
  const plain = from.replace(/\\([./-])/g, '$1').replace(/^\^|(?:\/\??)?\$$/g, '');
  if (/[\\^$*+?()[\]{}|]/.test(plain))
    return excluded(about, `its source is a pattern, add redirects for single paths (target: ${to})`);
  return { ...about, values: { from: plain, to, permanent, collection: '', record_id: '' } };
}

/** Maximum number of characters of a setting in a note. */
const maxSetting = 200;

/** Reason why rows are not imported. It repeats settings, so that the owner can enter them here. */
function whyExcluded(settings: ReadonlyMap<string, string>): string {
  if (settings.size === 0) return 'these rows have no equivalent here';
  const told = [...settings].map(([name, value]) => `${name}: ${withPlainLinks(value).slice(0, maxSetting)}`);
  return `set these values in Design and settings or in Profile (${told.join('; ')})`;
}

const navigationLink = /"label":\s{0,3}"([^"]{0,100})",\s{0,3}"url":\s{0,3}"([^"]{0,500})"/g;

/** Formats the links of a navigation for a note. */
const withPlainLinks = (value: string) =>
  [...value.matchAll(navigationLink)].map(([, label, url]) => `${label} (${url})`).join(', ') || value;
