import {
  closestFolder,
  folderOf,
  type Setting,
  type SettingsFile,
  type SettingsReader,
  setting,
  unreadProgram,
} from './setting.ts';

/** Program that defines Astro's collections. */
const collections = /(?:^|\/)content(?:\/config|\.config)\.[cm]?[jt]s$/;

const config = /(?:^|\/)astro\.config\.[cm]?[jt]s$/;

/** Returns the readers of Astro's settings, which say in which folders its texts are. Programs are not interpreted. */
export function astroSettings(names: ReadonlySet<string>) {
  const sites = new Set([...names].filter((name) => config.test(name)).map(folderOf));
  /** Folder of the site whose collections a file defines; null for a file of another program. */
  const rootOf = (name: string): string | null =>
    /^(?:.*\/)?(?=src\/content(?:\/|\.))/.exec(name)?.[0] ?? closestFolder(name, sites);
  const withCollections = new Set([...names].filter((name) => collections.test(name)).map(rootOf));
  return (name: string): SettingsReader | null => {
    if (config.test(name)) return withCollections.has(folderOf(name)) ? () => [] : siteSettings;
    const below = collections.test(name) ? rootOf(name) : null;
    return below === null ? null : () => [unreadProgram(name, { below })];
  };
}

/** Without other settings, Astro's texts are in two folders. An empty file is one whose content was not sent. */
function siteSettings({ name, text }: SettingsFile): Setting[] {
  if (text === '' || text.includes('srcDir')) return [unreadProgram(name)];
  const sources = `${folderOf(name)}src/`;
  const isShown = (file: string) =>
    ['pages/', 'content/'].some((each) => file.startsWith(`${sources}${each}`));
  return [
    setting(name, {
      matches: (file) => !isShown(file),
      why: `Astro publishes only files in ${sources}pages/ and ${sources}content/`,
    }),
  ];
}
