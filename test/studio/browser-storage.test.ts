import { expect, test } from 'vitest';
import { z } from 'zod';
import { createSessionStore } from '../../client/studio/data/session.ts';
import { createUnsaved } from '../../client/studio/data/unsaved-edits.ts';
import { storageOf, tabStorage } from '../../client/studio/ui/browser-storage.ts';
import { memoryStorage } from '../support/memory-storage.ts';

const ada = { siteId: 'harbour', ownerId: 'ada' };
const others = [
  { siteId: 'harbour', ownerId: 'grace' },
  { siteId: 'lighthouse', ownerId: 'ada' },
];

test('data in the browser of one account is not read, overwritten or cleared for another person or another site', () => {
  const shared = memoryStorage();
  const own = createUnsaved(storageOf(ada, () => shared));
  own.keep('posts', 'new', { title: { value: 'Of Ada', base: '' } });
  for (const account of others) {
    const storage = storageOf(account, () => shared);
    const unsaved = createUnsaved(storage);
    expect([unsaved.read('posts', 'new'), unsaved.isAny()]).toEqual([null, false]);
    unsaved.keep('posts', 'new', { title: { value: 'Of another', base: '' } });
    storage.clear();
    expect(storage.names()).toEqual([]);
  }
  expect(own.read('posts', 'new')?.edits).toEqual({ title: { value: 'Of Ada', base: '' } });
  storageOf(ada, () => shared).clear();
  expect(shared.length).toBe(0);
});

test('browser storage returns dates as dates, and texts that look like dates as texts', () => {
  const shared = memoryStorage();
  const storage = storageOf(ada, () => shared);
  const at = new Date('2026-05-01T12:00:00.000Z');
  const kept = { at, text: at.toISOString(), none: null, list: [at, 'a'], inner: { at } };
  storage.write('form', kept);
  expect(storage.read('form', z.unknown())).toEqual(kept);
  expect(storage.read('form', z.array(z.string()))).toBeNull();
  expect(storage.read('other', z.string())).toBeNull();
});

test('a full, broken or forbidden browser storage loses only its own values and causes no error', () => {
  const full = storageOf(ada, () => memoryStorage(10));
  full.write('form', 'longer than ten');
  expect(full.read('form', z.string())).toBeNull();

  const broken = memoryStorage();
  broken.setItem('studio:harbour:ada:form', '{"half":');
  expect(storageOf(ada, () => broken).read('form', z.unknown())).toBeNull();

  const forbidden = storageOf(ada, () => {
    throw new DOMException('it is forbidden', 'SecurityError');
  });
  forbidden.write('form', 1);
  forbidden.remove('form');
  forbidden.clear();
  expect([forbidden.read('form', z.number()), forbidden.names()]).toEqual([null, []]);
});

test('a page of the studio stays for the same account after a new sign-in, and reloads for another one and after signing out', () => {
  const tab = memoryStorage();
  let loads = 0;
  const open = () =>
    createSessionStore(
      tabStorage(() => tab),
      () => {
        loads++;
      },
    );
  const sessionOf = (account: typeof ada, token: string) => ({
    ...account,
    token,
    email: 'somebody@example.com',
    name: 'Somebody',
    role: 'editor' as const,
  });
  const sessions = open();
  sessions.begin(sessionOf(ada, 'first'));
  void sessions.refused('first');
  sessions.begin(sessionOf(ada, 'second'));
  expect([loads, sessions.get()]).toEqual([0, { is: 'in', session: sessionOf(ada, 'second') }]);

  for (const account of others) {
    const page = open();
    void page.refused('second');
    page.begin(sessionOf(account, 'second'));
    expect(page.get()).toMatchObject({ is: 'ended' });
    tabStorage(() => tab).write('session', sessionOf(ada, 'second'));
  }
  expect(loads).toBe(others.length);

  sessions.leave();
  expect([loads, sessions.get(), tab.length]).toEqual([others.length + 1, { is: 'out' }, 0]);
  sessions.begin(sessionOf(ada, 'third'));
  expect([loads, sessions.get()]).toEqual([others.length + 2, { is: 'out' }]);
  expect(open().get()).toMatchObject({ is: 'in', session: { token: 'third' } });
});
