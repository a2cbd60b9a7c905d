import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type ESTree, parseSync, Visitor } from 'rolldown/utils';
import { parse as parseYaml } from 'yaml';

/** A text that a person reads, with its whitespace folded. */
export interface Text {
  kind: 'comments' | 'docs' | 'strings';
  area: Area;
  file: string;
  line: number;
  /** The text with `x` for code and inserted values, for comparison with patterns. */
  text: string;
  /** The text as people see it, with `…` for inserted values. */
  shown: string;
  /** A comment directly before a declaration, in the form that editors show. */
  isDocComment?: boolean;
}

type Area = 'comments' | 'test comments' | 'test titles' | 'studio and site' | 'API and CLI' | 'docs';

type Comment = ReturnType<typeof parseSync>['comments'][number];

const root = path.join(import.meta.dirname, '../../..');
const isIgnored = (name: string) => /(^|\/)(node_modules|dist|\.data)$/.test(name);
const find = (pattern: string) => globSync(pattern, { cwd: root, exclude: isIgnored }).toSorted();
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const lineAt = (code: string, offset: number) => code.slice(0, offset).split('\n').length;
const fold = (text: string) => text.replace(/\s+/g, ' ').trim();

/** Stands for an inserted value. */
const inserted = '\0';

const withoutCode = (text: string) =>
  fold(
    text
      .replace(/`[^`]*`/g, 'x')
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll(inserted, 'x'),
  );
const formsOf = (text: string) => ({ text: withoutCode(text), shown: fold(text.replaceAll(inserted, '…')) });

const isTestFile = (file: string) => file.startsWith('test/') || /\.test(-d)?\.tsx?$/.test(file);

/** All comments, strings and documents of the project that people read. */
export function readTexts(): Text[] {
  const code = find('{*,{client,server,shared,worker,test}/**/*}.{ts,tsx,mjs}');
  return [
    ...code.flatMap((file) => readCode(file, read(file))),
    ...find('{client,server}/**/*.css').flatMap((file) => readStyleSheet(file, read(file))),
    ...find('{server/demo,deploy}/**/*.{yaml,yml}').flatMap((file) => readYaml(file, read(file))),
    ...find('{*,docs/**/*,client/sdk/*,server/**/*,shared/**/*}.md').flatMap((file) =>
      readMarkdown(file, read(file)),
    ),
  ];
}

/** Comments and prose strings of a module; of tests, comments and titles. */
export function readCode(file: string, code: string): Text[] {
  const { comments, program } = parseSync(file, code);
  const texts = joinLines(code, comments).flatMap((comment) => readComment(file, code, comment));
  const add = (value: string, start: number) => {
    const area = isTestFile(file)
      ? 'test titles'
      : isForVisitors.test(file)
        ? 'studio and site'
        : 'API and CLI';
    texts.push({ kind: 'strings', area, file, line: lineAt(code, start), ...stringForms(value) });
  };
  if (isTestFile(file)) visitTitles(program, add);
  else if (!isOtherLanguage.test(file) && !/\/migrations\//.test(file))
    visitProse(program, hasLabels.test(file), add);
  return texts;
}

const stringForms = (value: string) => ({
  text: fold(value.replaceAll(inserted, 'x')),
  shown: fold(value.replaceAll(inserted, '…')),
});

/** Files whose strings appear in the studio, on pages and in mails. */
const isForVisitors = /^(client\/studio|shared\/i18n|shared\/newsletter|server\/site|server\/demo)\//;
/** Files in which every string is read by people, however short. */
const hasLabels = /^(client\/studio\/strings\/|shared\/i18n\/(en|newsletter)\.ts)/;

/** Texts in other languages, and names of columns in lists of other systems. */
const isOtherLanguage = /^shared\/i18n\/(?!en\.)[a-z]{2}\.ts$|\/(consent-words|people-list)\.ts$/;

/** Joins line comments on adjacent lines, which are one text. */
function joinLines(code: string, comments: readonly Comment[]): Comment[] {
  const joined: Comment[] = [];
  for (const comment of comments) {
    const last = joined.at(-1);
    const isNext =
      last?.type === 'Line' &&
      comment.type === 'Line' &&
      /^\n[ \t]*$/.test(code.slice(last.end, comment.start));
    if (isNext)
      joined[joined.length - 1] = { ...last, value: `${last.value}\n${comment.value}`, end: comment.end };
    else joined.push(comment);
  }
  return joined;
}

const isDirective = /^\s*(biome-ignore|@ts-|@vitest|v8 ignore|\/ <reference)/;

function readComment(file: string, code: string, { type, value, start }: Comment): Text[] {
  if (isDirective.test(value)) return [];
  const isDocComment = type === 'Block' && value.startsWith('*');
  const lines = value.split('\n').map((line) => line.replace(/^\s*\*? ?/, ''));
  const paragraphs = lines.join('\n').split(/\n\s*\n/);
  return paragraphs.map(formsOf).flatMap((forms, index) =>
    forms.text === ''
      ? []
      : [
          {
            kind: 'comments',
            area: isTestFile(file) ? 'test comments' : 'comments',
            file,
            line: lineAt(code, start),
            ...forms,
            isDocComment: isDocComment && index === 0,
          },
        ],
  );
}

/** Titles of tests and suites. */
function visitTitles(program: ESTree.Program, add: (value: string, start: number) => void) {
  new Visitor({
    CallExpression({ callee, arguments: [title] }) {
      let name: ESTree.Node = callee;
      while (name.type === 'MemberExpression' || name.type === 'CallExpression')
        name = name.type === 'MemberExpression' ? name.object : name.callee;
      if (name.type !== 'Identifier' || !/^(test|it|describe)$/.test(name.name) || !title) return;
      const value = stringOf(title);
      if (value !== null) add(value, title.start);
    },
  }).visit(program);
}

/** String literals that are sentences, and every other one where `takesAll`. SQL, class names and module names are not prose. */
function visitProse(program: ESTree.Program, takesAll: boolean, add: (value: string, start: number) => void) {
  const skipped: [number, number][] = [];
  const skip = ({ start, end }: { start: number; end: number }) => skipped.push([start, end]);
  const take = (node: ESTree.Node) => {
    if (skipped.some(([start, end]) => node.start >= start && node.end <= end)) return;
    const value = stringOf(node);
    if (value === null) return;
    skip(node);
    if (takesAll ? /[A-Za-z]/.test(value) : isProse(value)) add(value, node.start);
  };
  new Visitor({
    ImportDeclaration: skip,
    ExportAllDeclaration: skip,
    TaggedTemplateExpression: skip,
    TSTypeAliasDeclaration: skip,
    JSXAttribute(node) {
      if (node.name.type === 'JSXIdentifier' && /^(className|d|style|rel|sizes)$/.test(node.name.name))
        skip(node);
    },
    Property: ({ key }) => skip(key),
    JSXText({ value, start }) {
      if (/[A-Za-z]/.test(value)) add(value, start);
    },
    BinaryExpression: take,
    TemplateLiteral: take,
    Literal: take,
  }).visit(program);
}

const isSql =
  /^\s*(select|insert|update|delete|with|create|alter|drop|grant|set|copy|declare|fetch|lock|from|where|and|or|order|left join|join|case|exists|coalesce)\b(?=.*(\bfrom\b|\bset\b|\binto\b|\btable\b|\bon\b|[(=<]))/is;

/** At least three words, most of them of letters. */
function isProse(value: string) {
  const tokens = value.trim().split(/\s+/);
  const words = tokens.filter((token) => /^[“"'(*`]*[A-Za-z][A-Za-z'’-]*[.,;:!?)”"'*`]*$/.test(token));
  return (
    words.length >= 3 && words.length >= tokens.length * 0.7 && !isSql.test(value) && !/[{};]\s*$/.test(value)
  );
}

/** The text of a literal, a template or a concatenation of them; null for other expressions. */
function stringOf(node: ESTree.Node): string | null {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : null;
  if (node.type === 'TemplateLiteral')
    return node.quasis.map(({ value }) => value.cooked ?? '').join(inserted);
  if (node.type !== 'BinaryExpression' || node.operator !== '+') return null;
  const [left, right] = [stringOf(node.left), stringOf(node.right)];
  return left === null || right === null ? null : left + right;
}

const readStyleSheet = (file: string, code: string): Text[] =>
  [...code.matchAll(/\/\*([\s\S]*?)\*\//g)].map(({ 1: value = '', index }) => ({
    kind: 'comments',
    area: 'comments',
    file,
    line: lineAt(code, index),
    ...formsOf(value.replace(/^\s*\*/gm, '')),
  }));

/** Strings of the example site, and summaries of alerts. */
function readYaml(file: string, code: string): Text[] {
  const texts: Text[] = [];
  const visit = (value: unknown) => {
    if (typeof value === 'string' && isProse(value))
      for (const paragraph of splitMarkdown(value))
        texts.push({
          kind: 'strings',
          area: file.startsWith('deploy/') ? 'API and CLI' : 'studio and site',
          file,
          line: 1,
          text: paragraph.text,
          shown: paragraph.shown,
        });
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(visit);
  };
  visit(parseYaml(code));
  return texts;
}

const readMarkdown = (file: string, code: string): Text[] =>
  splitMarkdown(code).map((part) => ({ kind: 'docs', area: 'docs', file, ...part }));

/** Paragraphs, list items and table cells. Headings, code, quotations and generated tables are left out. */
function splitMarkdown(code: string): { line: number; text: string; shown: string }[] {
  const found: { line: number; text: string }[] = [];
  let isCode = false;
  let isGenerated = false;
  let isOpen = false;
  for (const [index, line] of code.split('\n').entries()) {
    if (/^\s*(```|~~~)/.test(line)) isCode = !isCode;
    if (/<!-- generated/.test(line)) isGenerated = true;
    if (/<!-- end -->/.test(line)) isGenerated = false;
    const isText = !isCode && !isGenerated && !/^\s*(```|~~~|#|>|\||<|$)/.test(line);
    const startsItem = /^\s*([-*+]|\d+[.)])\s/.test(line);
    const last = found.at(-1);
    if (!isCode && !isGenerated && /^\s*\|/.test(line))
      for (const cell of line.split(/(?<!\\)\|/)) found.push({ line: index + 1, text: cell });
    else if (isText && isOpen && !startsItem && last) last.text += `\n${line}`;
    else if (isText) found.push({ line: index + 1, text: line.replace(/^\s*([-*+]|\d+[.)])\s+/, '') });
    isOpen = isText;
  }
  return found
    .map(({ line, text }) => ({ line, ...formsOf(text) }))
    .filter(({ text }) => /[A-Za-z]{2}/.test(text));
}
