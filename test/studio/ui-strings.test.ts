import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeAction } from '../../client/studio/strings/activity.ts';
import { proceduresOf } from '../../server/api/procedures.ts';
import { assistantsRouter, restRouter } from '../../server/api/router/app-router.ts';
import { profileFields } from '../../shared/contract/features/profile.ts';
import { allResources } from '../../shared/contract/resources/index.ts';

/** Technical terms, which do not help creators. */
const programmers = /\b(records?|APIs?|slugs?|scopes?|regular expression|null|REST|RPC|boolean|enum)\b/;

/** Files that may contain technical terms, because their screens are for developers. */
const forDevelopers = ['keys.ts', 'webhooks.ts', 'assistants.ts', 'activity.ts', 'texts.ts', 'errors.ts'];

/** Quoted strings, which exclude names in the code. */
const quoted = /'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`/g;

test('strings for creators contain no technical terms', async () => {
  const found: string[] = [];
  const check = (position: string, words: string) => {
    if (programmers.test(words.replaceAll(/\$\{[^}]*\}/g, ''))) found.push(`${position}: ${words}`);
  };
  const folder = join(import.meta.dirname, '../../client/studio/strings');
  for await (const name of glob('*.ts', { cwd: folder })) {
    if (forDevelopers.includes(name)) continue;
    const source = (await readFile(join(folder, name), 'utf8')).replaceAll(
      /^(import|\s*(\/\*\*|\*|\/\/)).*$/gm,
      '',
    );
    for (const [, single, template] of source.matchAll(quoted)) check(name, single ?? template ?? '');
  }
  for (const { collection, labels: words, fields } of Object.values(allResources)) {
    for (const text of Object.values(words)) check(collection, text);
    for (const [name, { label = '', help = '', choices = {} }] of Object.entries(fields))
      for (const text of [label, help, ...Object.values(choices)]) check(`${collection}.${name}`, text);
  }
  for (const [name, { label, help }] of Object.entries(profileFields)) check(name, `${label} ${help}`);
  expect(found).toEqual([]);
});

test('every audited procedure has a description for the activity screen', () => {
  const procedures = [restRouter, assistantsRouter].flatMap((router) => [...proceduresOf(router).values()]);
  const audited = procedures.filter(({ isWrite, isAudited }) => isWrite && isAudited);
  const names = audited.map(({ name }) => name);
  expect(names.filter((name) => describeAction(name) === undefined)).toEqual([]);
});
