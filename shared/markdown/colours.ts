import hljs from 'highlight.js/lib/common';
import type { Env, MarkdownIt } from 'markdown-it';

/** Code that is coloured, in characters: colouring takes far longer than all else about a body. */
const most = { ofOne: 8_000, ofAll: 32_000 } as const;

/** Longer lines are no program that somebody reads; several grammars look at each line from each of its words. */
const longestLine = 300;

/** Languages whose grammars take time by more than the square of the length. */
const tooDear = new Set(['markdown']);

/** A block of code with its words in colours; nothing for one that stays as it is. */
export function colour(code: string, name: string): string {
  const language = hljs.getLanguage(name)?.name?.toLowerCase();
  if (!language || tooDear.has(language) || code.length > most.ofOne || hasLongLine(code)) return '';
  return hljs.highlight(code, { language: name, ignoreIllegals: true }).value;
}

const hasLongLine = (code: string) => code.split('\n').some(({ length }) => length > longestLine);

const coloured = Symbol('characters of code that were coloured');

/** Leaves the code of a text as it is from where there is too much of it. */
export function boundColours({ renderer: { rules } }: MarkdownIt) {
  const { fence } = rules;
  if (!fence) throw new Error('the Markdown renderer has no rule for code blocks');
  rules.fence = (tokens, at, options, env = {}, renderer) => {
    const length = charactersOf(env) + (tokens[at]?.content.length ?? 0);
    const isTooMuch = length > most.ofAll;
    if (!isTooMuch) env[coloured] = length;
    return fence(tokens, at, isTooMuch ? { ...options, highlight: null } : options, env, renderer);
  };
}

const charactersOf = (env: Env): number => {
  const known = env[coloured];
  return typeof known === 'number' ? known : 0;
};
