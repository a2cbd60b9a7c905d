import { publishFile } from './file-tree.ts';
import {
  folderOf,
  parsedSettings,
  plainPath,
  type Setting,
  type SettingsFile,
  setting,
  textsOf,
} from './setting.ts';

/**
 * What reads which folders of a vault are never published. Those that are included are only what its program offers: notes
 * have to say so themselves.
 */
export const obsidianSettings = () => (name: string) => (publishFile.test(name) ? publishSettings : null);

const publishSettings = (file: SettingsFile): Setting[] => {
  const below = folderOf(file.name).replace(/\.obsidian\/$/, '');
  const read = parsedSettings(file, (values) =>
    textsOf(values.get('excluded')).map((path) =>
      setting(file.name, {
        matches: (note) => isAt(note.slice(below.length), path),
        why: `${file.name} excludes this file from the old site`,
      }),
    ),
  );
  // It stands in a folder for tools, and is about the one around that.
  return read.map((each) => ({ ...each, below }));
};

/** Whether a note is at a path, or in the folder of that path. */
function isAt(note: string, path: string): boolean {
  const plain = plainPath(path).toLowerCase();
  const own = note.toLowerCase();
  return plain === '' || own === plain || own === `${plain}.md` || own.startsWith(`${plain}/`);
}
