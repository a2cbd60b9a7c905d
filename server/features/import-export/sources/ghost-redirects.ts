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
    if (values === undefined) return [leftOut(name, 'the redirects in it cannot be read')];
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

/** Where one begins is a pattern there: one that a single path fits is taken as that. */
function redirectOf(from: string | undefined, to: string | undefined, permanent: boolean): ForeignRecord {
  const about = { collection: 'redirects', sourceId: from ?? 'redirects', title: from ?? '' };
  const refused = (why: string) => ({
    ...about,
    values: null,
    notes: [`Not imported: ${why}`],
    isLeftOut: true,
  });
  if (from === undefined || to === undefined) return refused('the redirect has no source or no target');
  // A sign that stands for itself tells nothing of the end before it is known as such: `^\/a\/?$`.
  const plain = from.replace(/\\([./-])/g, '$1').replace(/^\^|(?:\/\??)?\$$/g, '');
  if (/[\\^$*+?()[\]{}|]/.test(plain))
    return refused(`its source is a pattern, add redirects for single paths (target: ${to})`);
  return { ...about, values: { from: plain, to, permanent, collection: '', record_id: '' } };
}
