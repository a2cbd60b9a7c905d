import { leftOutAt, textWithoutRemarks } from './programs.ts';
import { isOfPublication } from './publication-names.ts';
import {
  folderAt,
  folderOf,
  outsideOf,
  plainPath,
  type Setting,
  type SettingsFile,
  setting,
} from './setting.ts';

/** A text in a program; what it puts together stands for anything. */
const literal = String.raw`['"\x60]([^'"\x60\n]{0,500})['"\x60]`;

/** What of Eleventy's programs may leave texts out; others of the same folder are none of its business. */
const methods =
  /\b(?:ignores\s{0,9}\.\s{0,9}add|addGlobalData|set(?:Input|Includes|Layouts)Directory|setTemplateFormats)\b/;

export const isConfig = (name: string) => /(?:^|\/)(?:\.eleventy|eleventy\.config)\.[cm]?[jt]s$/.test(name);

/** What a program says in so many words is left out, and what is outside of the folder that it names. Programs are not run. */
export function configSettings({ name, text }: SettingsFile, below: string): Setting[] {
  if (!isConfig(name) && !methods.test(text)) return [];
  const program = textWithoutRemarks(text);
  if (program === null) return [setting(name, { below, why: `${name} can not be read` })];
  const hides = (why: string) => setting(name, { below, why: `${name} ${why}` });
  return [
    ...ignored({ name, below, program }),
    ...folders({ name, below, program }),
    ...(namesNoMarkdown(program) ? [hides('does not name Markdown among what is read')] : []),
    ...(hidesByData(program) ? [hides('is a program that may hide it, and was not run')] : []),
  ];
}

interface Program {
  name: string;
  /** The folder of the site. */
  below: string;
  program: string;
}

function ignored({ name, below, program }: Program): Setting[] {
  return [
    ...program.matchAll(
      new RegExp(String.raw`\bignores\s{0,9}\.\s{0,9}add\s{0,9}\(\s{0,9}(?:${literal}\s{0,9}\))?`, 'g'),
    ),
  ].map(([, pattern]) =>
    pattern === undefined
      ? setting(name, { below, why: `${name} leaves out what is not known` })
      : leftOutAt({ name, below }, plainPath(pattern.replace(/\$\{[^{}]{0,200}\}/g, '*'))),
  );
}

/** Folders that the settings name; what is put together by a program is not known. */
function folders({ name, below, program }: Program): Setting[] {
  const found = [...program.matchAll(/\bdir['"]?\s{0,9}:\s{0,9}\{([^{}]{0,2000})\}/g)].map(
    ([, given = '']) => given,
  );
  const isNamedElsewhere =
    isConfig(name) &&
    (/\bdir['"]?\s{0,9}:\s{0,9}[^\s{]/.test(program) || /[{,]\s{0,9}dir\s{0,9}[,}]/.test(program));
  const unknown = setting(name, { below, why: `${name} names a folder that is not known` });
  if (isNamedElsewhere || found.some((given) => given.includes('...'))) return [unknown];
  const named = (kind: string, method: string) => [
    ...found.flatMap((given) => [
      ...given.matchAll(
        new RegExp(String.raw`\b${kind}['"]?\s{0,9}(?::\s{0,9}(?:${literal})?|(?=[,}]|$))`, 'g'),
      ),
    ]),
    ...program.matchAll(new RegExp(String.raw`\b${method}\s{0,9}\(\s{0,9}(?:${literal}\s{0,9}\))?`, 'g')),
  ];
  const inputs = named('input', 'setInputDirectory').map(([, input]) => input);
  if (inputs.some((input) => input === undefined || input.includes('${'))) return [unknown];
  const input = inputs.map((each) => folderAt(below, each ?? ''));
  const parts = [...named('includes', 'setIncludesDirectory'), ...named('layouts', 'setLayoutsDirectory')];
  return [
    ...input.map((inside) => outsideOf(name, below, inside)),
    ...parts
      .map(([, part]) => plainPath(part ?? ''))
      .filter((part) => part !== '')
      .flatMap((part) => [below, ...input].map((inside) => leftOutAt({ name, below: inside }, part))),
  ];
}

/** Whether only other forms are made to pages. */
function namesNoMarkdown(program: string): boolean {
  const [listed] =
    /\b(?:templateFormats['"]?\s{0,9}:|setTemplateFormats\s{0,9}\()\s{0,9}(?:\[[^\]]{0,500}\]|['"`][^'"`\n]{0,500}['"`])/.exec(
      program,
    ) ?? [];
  return listed !== undefined && !/\b(?:md|markdown)\b|\*/.test(listed);
}

/** Whether data that it gives to all texts may hide them. */
const hidesByData = (program: string): boolean =>
  /\b(?:addPreprocessor|addDataExtension|setDataFileSuffixes|setDataFileBaseName|setDataDeepMerge)\s{0,9}\(/.test(
    program,
  ) ||
  [...program.matchAll(new RegExp(String.raw`\baddGlobalData\s{0,9}\(\s{0,9}(?:${literal})?`, 'g'))].some(
    ([, name]) => name === undefined || isOfPublication(name.replace(/^eleventyComputed\.?/, '') || 'draft'),
  );

/** Folders that scripts give to Eleventy. */
export function scriptSettings({ name, text }: SettingsFile): Setting[] {
  const below = folderOf(name);
  const calls = text.slice(0, 200_000).matchAll(/\beleventy\b[^"&|;]{0,200}--input[= ]([^\s"&|;]{1,200})/g);
  return [...calls].map(([, input = '']) => outsideOf(name, below, folderAt(below, input)));
}
