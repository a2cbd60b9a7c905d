import path from 'node:path';
import { bytesOf, type FileTree } from './file-tree.ts';
import { type ForeignRecord, leftOut } from './foreign-record.ts';
import { matterOf, parseValues } from './front-matter.ts';
import { textsOf } from './setting.ts';

const redirectsFile = /(?:^|\/)redirects\.(?:ya?ml|json)$/;

/** Longest such file that is read: what parses it takes more time and memory the longer it is. */
const longest = 512 * 1024;

/** Redirects that the owner of a Ghost site made, as the file in its archive has them: by their codes, or in a list. */
export async function readRedirects(tree: FileTree): Promise<ForeignRecord[]> {
  const [name = ''] = tree.files.map((file) => file.name).filter((each) => redirectsFile.test(each));
  for await (const file of tree.read(new Set([name]))) {
    const text = file.size > longest ? null : (await bytesOf(file)).toString();
    const values = text === null ? undefined : parseValues(text, path.posix.extname(name).slice(1), longest);
    if (values === undefined) return [leftOut(name, 'its redirects can not be read, so they were left out')];
    return Array.isArray(values)
      ? values.map(matterOf).flatMap(ofList)
      : ['301', '302'].flatMap(ofCode(values));
  }
  return [];
}

const ofList = (each: ReadonlyMap<string, unknown>) => {
  const [[from], [to]] = [textsOf(each.get('from')), textsOf(each.get('to'))];
  return from === undefined || to === undefined ? [] : redirectOf(from, to, each.get('permanent') === true);
};

const ofCode = (values: unknown) => (code: string) =>
  Object.entries(matterOf(values).get(code) ?? {}).flatMap(([from, to]) =>
    textsOf(to).map((each) => redirectOf(from, each, code === '301')),
  );

/** Where one begins is a pattern there: one that a single path fits is taken as that. */
function redirectOf(from: string, to: string, permanent: boolean): ForeignRecord {
  const plain = from.replace(/^\^|\/?\??\$$/g, '').replace(/\\([./-])/g, '$1');
  const about = { collection: 'redirects', sourceId: from, title: from };
  if (/[\\^$*+?()[\]{}|]/.test(plain))
    return { ...about, values: null, notes: [`it begins at a pattern, and leads to ${to}`], isLeftOut: true };
  return { ...about, values: { from: plain, to, permanent, collection: '', record_id: '' } };
}
