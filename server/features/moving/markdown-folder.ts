import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { moving } from '../../../shared/contract/limits.ts';
import type { ForeignRecord, ForeignSite } from './foreign-record.ts';
import { momentOf, slugOf, tagsOf } from './foreign-record.ts';

/** A folder of Markdown files, each a post: what their front matter says, and what stands below it. */
export const readMarkdownFolder = (folder: string): ForeignSite => ({
  source: 'markdown',
  records: recordsOf(folder),
});

async function* recordsOf(folder: string): AsyncGenerator<ForeignRecord> {
  for await (const file of filesBelow(folder)) {
    const sourceId = path.relative(folder, file).split(path.sep).join('/');
    const { size, mtime } = await stat(file);
    yield await recordOfFile({ sourceId, size, mtime, read: () => readFile(file, 'utf8') });
  }
}

/** Every file in the order of its name. Links are left alone: what they point at may be outside, and nobody's to publish. */
async function* filesBelow(folder: string): AsyncGenerator<string> {
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory() && !entry.name.startsWith('.')) yield* filesBelow(file);
    else if (entry.isFile()) yield file;
  }
}

/** A file among others, wherever they are. */
interface FoundFile {
  /** Its name, with those of the folders that it is in. */
  sourceId: string;
  size: number;
  mtime: Date;
  read(): Promise<string>;
}

/** The post that a file of Markdown is; what is none is left out. */
export async function recordOfFile({ sourceId, size, mtime, read }: FoundFile): Promise<ForeignRecord> {
  const about = { collection: 'posts', sourceId, title: path.posix.basename(sourceId) };
  const refused = (why: string): ForeignRecord => ({ ...about, values: null, notes: [why] });
  if (!/\.(md|markdown)$/i.test(sourceId))
    return { ...refused('is no Markdown, it was not fetched'), collection: 'files', isLeftOut: true };
  if (size > moving.recordBytes) return refused('is longer than a record may be');
  const text = (await read()).replace(/^\uFEFF/, '');
  if (text.startsWith('+++'))
    return refused('its front matter is TOML: write it as YAML, between lines of ---');
  const [, yaml = '', body = text] = /^---[ \t]*\r?\n(.*?)(?<=\n)---[ \t]*(?:\r?\n|$)(.*)$/s.exec(text) ?? [];
  const front = frontMatterOf(yaml);
  return front.matter ? { ...about, ...postOf(front.matter, body, sourceId, mtime) } : refused(front.problem);
}

const FrontMatter = z.looseObject({
  title: z.coerce.string().optional(),
  slug: z.coerce.string().optional(),
  tags: z.union([z.array(z.coerce.string()), z.string().transform((text) => text.split(','))]).nullish(),
  date: z.union([z.date(), z.string()]).nullish(),
  draft: z.boolean().nullish(),
});

type FrontMatter = z.infer<typeof FrontMatter>;

type Read = { matter: FrontMatter } | { matter?: never; problem: string };

function frontMatterOf(yaml: string): Read {
  try {
    const matter = FrontMatter.safeParse(parse(yaml, { maxAliasCount: 10, logLevel: 'error' }) ?? {});
    if (matter.success) return { matter: matter.data };
    const [issue] = matter.error.issues;
    return { problem: `front matter: ${issue?.path.join('.')}: ${issue?.message}` };
  } catch (error) {
    return {
      problem: `front matter: ${error instanceof Error ? error.message.split('\n')[0] : 'is no YAML'}`,
    };
  }
}

/** What is taken of front matter. */
const taken = ['title', 'slug', 'tags', 'date', 'draft'];

function postOf(matter: FrontMatter, body: string, file: string, written: Date) {
  const notes: string[] = [];
  const others = Object.keys(matter).filter((name) => !taken.includes(name));
  if (others.length > 0) notes.push(`front matter left out: ${others.join(', ')}`);
  const [, day, name = ''] = /^(\d{4}-\d{2}-\d{2}-)?(.*)\.\w+$/.exec(path.basename(file)) ?? [];
  const heading = /^# +(.+?)[ \t]*#*$/m.exec(body)?.[1];
  const title = matter.title || heading || name;
  const date = momentOf(matter.date) ?? momentOf(day?.slice(0, 10));
  if (matter.date && !momentOf(matter.date)) notes.push(`date: ${String(matter.date)} can not be read`);
  return {
    title,
    notes,
    created: date ?? written,
    values: {
      title,
      slug: slugOf('posts', matter.slug ?? '', notes),
      content: body.trim(),
      tags: tagsOf(matter.tags ?? [], notes),
      is_draft: matter.draft ?? false,
      published_at: matter.draft ? null : (date ?? written).toISOString(),
    },
  };
}
