import { expect, test } from 'vitest';
import { compareLines } from '../../client/studio/forms/differences/compare-lines.ts';
import {
  afterSave,
  changesSince,
  conflictsIn,
  type Edits,
  editsToStore,
  pendingEdits,
  settle,
  typeInto,
} from '../../client/studio/forms/edits.ts';

const edits = { title: { value: 'Mine', base: 'Old' }, tags: { value: ['a'], base: [] } };

test('a form field is in conflict if its saved value is neither the typed, nor the sent, nor the original one', () => {
  expect(conflictsIn(edits, { title: 'Theirs', tags: [] }, {})).toEqual(['title']);
  expect(conflictsIn(edits, { title: 'Mine', tags: ['b'] }, {})).toEqual(['tags']);
  expect(conflictsIn(edits, { title: 'Sent before', tags: [] }, { title: 'Sent before' })).toEqual([]);
});

test.each([
  ['a text', ''],
  ['a price', null],
])(
  'a form field for %s that was empty when typing began stays in conflict while typing continues',
  (_, unset) => {
    const typeOn = (typed: Edits, value: unknown) =>
      typeInto({ typed, sent: {} }, 'field', { value, base: 'theirs' });
    const first = typeInto({ typed: {}, sent: {} }, 'field', { value: 'mine', base: unset });
    const saved = { field: 'theirs' };
    const second = typeOn(first, 'mine, longer');
    expect(conflictsIn(second, saved, {})).toEqual(['field']);
    expect(pendingEdits(typeOn(second, unset), saved)).toEqual({});
  },
);

test('typing into a field after its edit was typed back starts from the current saved value', () => {
  const back = { field: { value: 'Old', base: 'Old' } };
  const saved = { field: 'Theirs' };
  const typed = typeInto({ typed: back, sent: {} }, 'field', { value: 'Theirs!', base: saved.field });
  expect(conflictsIn(typed, saved, {})).toEqual([]);
  expect(pendingEdits(typed, saved)).toEqual({ field: { value: 'Theirs!', base: 'Theirs' } });
});

test('typing into a field whose edit was typed back during its save keeps the original value as base', () => {
  const [back, sent] = [{ field: { value: 'Old', base: 'Old' } }, { field: 'Mine' }];
  const typed = typeInto({ typed: back, sent }, 'field', { value: 'Mine!', base: 'Mine' });
  expect(typed).toEqual({ field: { value: 'Mine!', base: 'Old' } });
  expect(conflictsIn(typed, { field: 'Theirs' }, sent)).toEqual(['field']);
});

test('values typed during a save are kept, with the saved value as their base', () => {
  const typed = { ...edits, title: { value: 'Mine, longer', base: 'Old' } };
  expect(afterSave(typed, { title: 'Mine', tags: ['a'] })).toEqual({
    title: { value: 'Mine, longer', base: 'Mine' },
  });
});

test('a value that was typed back during a save is written after the save, even after a reload', () => {
  const sent = { title: 'Mine' };
  const typed = { title: { value: 'Mine', base: 'Old' } };
  const back = typeInto({ typed, sent }, 'title', { value: 'Old', base: 'Old' });
  expect(pendingEdits(back, { title: 'Old' })).toEqual({});
  expect(editsToStore(back, undefined, sent)).toEqual(back);
  expect(editsToStore(back, undefined, {})).toEqual({});
  expect(pendingEdits(afterSave(back, sent), sent)).toEqual({ title: { value: 'Old', base: 'Mine' } });
});

test('values typed or cleared after the first attempt to create a record are written on top of its result', () => {
  const sent = { title: 'First', excerpt: 'Short', is_draft: true };
  const unset = { title: '', excerpt: '', tags: [] };
  expect(changesSince(sent, { title: 'Second', tags: ['a'], is_draft: true }, unset)).toEqual({
    title: 'Second',
    excerpt: '',
    tags: ['a'],
  });
  expect(changesSince(sent, sent, unset)).toEqual({});
});

test('choosing “mine” allows the field to overwrite, and choosing “theirs” drops the edit', () => {
  const saved = { title: 'Theirs', tags: ['b'] };
  const settled = settle(edits, saved, { title: 'mine', tags: 'theirs' });
  expect(settled).toEqual({ title: { value: 'Mine', base: 'Theirs' } });
  expect(conflictsIn(settled, saved, {})).toEqual([]);
});

test('a typed value that equals the one another writer saved is not an edit', () => {
  expect(Object.keys(pendingEdits(edits, { title: 'Mine', tags: [] }))).toEqual(['tags']);
});

test('texts are compared by line, with changed words marked and unchanged lines counted', () => {
  const before = ['one', 'two', 'three', 'four', 'five', 'six', 'a slow boat', 'end'].join('\n');
  const after = before.replace('slow', 'fast');
  const line = (kind: string, ...parts: [string, boolean][]) => ({
    kind,
    parts: parts.map(([text, isChanged]) => ({ text, isChanged })),
  });
  expect(compareLines(before, after)).toEqual([
    { kind: 'skipped', count: 4 },
    line('same', ['five', false]),
    line('same', ['six', false]),
    line('removed', ['a ', false], ['slow', true], [' boat', false]),
    line('added', ['a ', false], ['fast', true], [' boat', false]),
    line('same', ['end', false]),
  ]);
  expect(compareLines('', 'new')).toEqual([line('added', ['new', false])]);
  expect(compareLines('same', 'same')).toEqual([line('same', ['same', false])]);
});

test('comparing many long changed lines by words stays within the time limit', () => {
  const long = (from: number) =>
    Array.from({ length: 40 }, (_, line) =>
      Array.from({ length: 1_000 }, (_, word) => (word % 2 ? 'same' : `${from + line * 1_000 + word}`)).join(
        ' ',
      ),
    );
  const [first, ...rest] = compareLines(
    ['a slow boat', ...long(0), 'a slow boat'].join('\n'),
    ['a fast boat', ...long(50_000), 'a fast boat'].join('\n'),
  );
  expect(first).toMatchObject({ kind: 'removed', parts: [{}, { text: 'slow', isChanged: true }, {}] });
  expect(rest.at(-1)).toEqual({ kind: 'added', parts: [{ text: 'a fast boat', isChanged: false }] });
});
