import { type FrontMatter, matterOf } from './front-matter.ts';
import { utc, zonesOf } from './parse-time.ts';
import {
  atOrBelow,
  excludedAt,
  folderAt,
  folderOf,
  listOf,
  outsideOf,
  parsedSettings,
  type Setting,
  type SettingsFile,
  setting,
  textsOf,
} from './publication-setting.ts';
import { archiveLinks, folderOfSource } from './source-paths.ts';

const config = /(?:^|\/)_config[\w.-]*\.(?:ya?ml|toml)$/i;

/**
 * Returns a function that finds the reader of Jekyll's settings; null for other files. `defaults` are front matter
 * for a folder or kind of file, `exclude` lists ignored files.
 */
export const jekyllSettings = () => (name: string) => (config.test(name) ? configSettings : null);

const configSettings = (file: SettingsFile): Setting[] =>
  parsedSettings(file, (values) => {
    const { name } = file;
    const excluded = [...textsOf(values.get('exclude')), ...usuallyExcluded].map((pattern) =>
      excludedAt({ name, below: folderOf(name) }, pattern),
    );
    const { permalink, baseurl, timezone, source, collections_dir, limit_posts } = Object.fromEntries(values);
    const named = zonesOf([timezone]);
    const shown = [
      // Jekyll's YAML parser reads some times without a zone as UTC, whatever time zone is set.
      setting(name, { zones: named.length > 0 ? [...named, utc] : [], timeZones: textsOf(timezone) }),
      setting(name, {
        values: new Map([
          ['baseurl', baseurl],
          [folderOfSource, [source, collections_dir].flatMap(textsOf).reduce(folderAt, folderOf(name))],
          [archiveLinks, archivesOf(values)],
        ]),
        rank: -1,
      }),
      ...textsOf(permalink).map((pattern) =>
        setting(name, {
          matches: (file) => kindOf(file) === 'posts',
          values: new Map([['permalink', pattern]]),
          rank: -1,
        }),
      ),
    ];
    return [
      ...shown,
      ...listOf(values.get('defaults')).map((each) => defaultsOf(name, each)),
      ...excluded,
      ...notRead(name, source, limit_posts),
    ];
  });

/** Folders of dependencies, which Jekyll always excludes. */
const usuallyExcluded = ['vendor/bundle', 'vendor/cache', 'vendor/gems', 'vendor/ruby'];

/** URL patterns of tag and category lists of the plugin jekyll-archives, with its defaults. */
function archivesOf(values: FrontMatter) {
  const archives = matterOf(values.get('jekyll-archives'));
  const usual = { tag: '/tag/:name', category: '/category/:name' };
  return archives.size === 0 ? {} : { ...usual, ...Object.fromEntries(matterOf(archives.get('permalinks'))) };
}

/** Settings for texts without a page in Jekyll: outside of its source folder, posts without a date, or beyond `limit_posts`. */
function notRead(name: string, source: unknown, limit_posts: unknown): Setting[] {
  const [given = ''] = textsOf(source);
  const isPost = (file: string) => kindOf(file) === 'posts';
  return [
    outsideOf(name, folderOf(name), folderAt(folderOf(name), given)),
    setting(name, {
      matches: (file) => isPost(file) && !/\/\d{2,4}-\d{1,2}-\d{1,2}-[^/]+$/.test(file),
      why: 'Jekyll publishes only posts whose file name begins with a date',
    }),
    ...(typeof limit_posts === 'number' && limit_posts > 0
      ? [setting(name, { matches: isPost, why: `${name} limits the number of posts (limit_posts)` })]
      : []),
  ];
}

function defaultsOf(name: string, value: unknown): Setting {
  const { scope, values } = Object.fromEntries(matterOf(value));
  const { path, type } = Object.fromEntries(matterOf(scope));
  const [folder = ''] = textsOf(path);
  const [kind] = textsOf(type);
  const { matches, isExact } = atOrBelow(folderOf(name), folder);
  return setting(name, {
    matches: (file) => matches(file) && (kind === undefined || kind === kindOf(file)),
    isExact,
    values: matterOf(values),
    rank: folder.length * 2 + (kind === undefined ? 0 : 1),
  });
}

/** Collection of a file, as Jekyll names it. */
const kindOf = (file: string) => /(?:^|\/)_(\w+)\//.exec(file)?.[1] ?? 'pages';
