import { expect, test } from 'vitest';
import { createOnce } from '../../client/studio/forms/idempotent-create.ts';
import { isConflict, updateWithRetry } from '../../client/studio/forms/update-with-retry.ts';
import { storageOf } from '../../client/studio/ui/browser-storage.ts';
import { memoryStorage } from '../support/memory-storage.ts';

const ada = { siteId: 'harbour', ownerId: 'ada' };

/** Creates an error like one of the service. */
const refused = (code: string, httpStatus: number) =>
  Object.assign(new Error(code), { data: { code, httpStatus } });

/** A form whose requests get the given answers. */
function startForm(shared: Storage) {
  const sent: { input: object; key: string }[] = [];
  const open = () =>
    createOnce(
      storageOf(ada, () => shared),
      'posts:new',
    );
  let once = open();
  return {
    sent,
    unanswered: () => once.unanswered(),
    reload: () => {
      once = open();
    },
    send: (input: Record<string, unknown>, answer: string | Error) =>
      once.send(input, async (input, { idempotencyKey: key }) => {
        sent.push({ input, key });
        if (answer instanceof Error) throw answer;
        return answer;
      }),
  };
}

test.each([
  ['no answer', new TypeError('Failed to fetch')],
  ['a server that is busy', refused('database_busy', 503)],
  ['a server that failed', refused('internal_error', 500)],
  ['a session that ended', refused('unauthorized', 401)],
  ['a limit', refused('rate_limited', 429)],
])(
  'after %s a form repeats its first request with the same idempotency key, even after a reload and further typing',
  async (_, failure) => {
    const form = startForm(memoryStorage());
    const at = new Date('2026-05-01T12:00:00Z');
    await expect(form.send({ title: 'First', at }, failure)).rejects.toBe(failure);
    await expect(form.send({ title: 'Second' }, failure)).rejects.toBe(failure);
    form.reload();
    expect(form.unanswered()).toEqual({ title: 'First', at });
    expect(await form.send({ title: 'Third' }, 'made')).toEqual({
      answer: 'made',
      sent: { title: 'First', at },
    });
    expect(new Set(form.sent.map(({ key }) => key)).size).toBe(1);
    expect(form.sent.map(({ input }) => input)).toEqual(
      Array.from({ length: 3 }, () => ({ title: 'First', at })),
    );

    expect(form.unanswered()).toBeNull();
    expect(await form.send({ title: 'Another' }, 'made')).toMatchObject({ sent: { title: 'Another' } });
    expect(form.sent[3]?.key).not.toBe(form.sent[0]?.key);
  },
);

test.each([
  ['validation_failed', 400],
  ['newsletter_limit', 403],
  ['mail_not_configured', 503],
])('after the refusal %s a form sends its next attempt as a new request', async (code, status) => {
  const form = startForm(memoryStorage());
  const broken = refused(code, status);
  await expect(form.send({ title: '' }, broken)).rejects.toBe(broken);
  expect(form.unanswered()).toBeNull();
  expect(await form.send({ title: 'Mended' }, 'made')).toMatchObject({ sent: { title: 'Mended' } });
  expect(form.sent[1]?.key).not.toBe(form.sent[0]?.key);
});

test('an open form does not send requests of another page, and a form opened later continues them', async () => {
  const shared = memoryStorage();
  const [first, second] = [startForm(shared), startForm(shared)];
  const lost = new TypeError('Failed to fetch');
  await expect(first.send({ title: 'Of the first' }, lost)).rejects.toBe(lost);
  expect(await second.send({ title: 'Of the second' }, 'made')).toMatchObject({
    sent: { title: 'Of the second' },
  });
  await expect(first.send({ title: 'Of the first' }, lost)).rejects.toBe(lost);
  expect(startForm(shared).unanswered()).toEqual({ title: 'Of the first' });
});

test('unanswered requests of two pages do not replace each other', async () => {
  const shared = memoryStorage();
  const [first, second] = [startForm(shared), startForm(shared)];
  const lost = new TypeError('Failed to fetch');
  await expect(first.send({ title: 'Of the first' }, lost)).rejects.toBe(lost);
  await expect(second.send({ title: 'Of the second' }, lost)).rejects.toBe(lost);
  expect(await first.send({}, 'made')).toMatchObject({ sent: { title: 'Of the first' } });
  const later = startForm(shared);
  expect(later.unanswered()).toEqual({ title: 'Of the second' });
  expect(await later.send({}, 'made')).toMatchObject({ sent: { title: 'Of the second' } });
  expect(later.sent[0]?.key).toBe(second.sent[0]?.key);
  expect(startForm(shared).unanswered()).toBeNull();
});

test('a request older than the service’s idempotency records is not repeated', async () => {
  const shared = memoryStorage();
  const storage = storageOf(ada, () => shared);
  const at = (hours: number) => new Date(Date.now() - hours * 3_600_000);
  storage.write('sent:posts:new:old', { key: 'old', input: { title: 'Old' }, at: at(23.5) });
  expect(createOnce(storage, 'posts:new').unanswered()).toBeNull();
  storage.write('sent:posts:new:new', { key: 'new', input: { title: 'New' }, at: at(22.5) });
  expect(createOnce(storage, 'posts:new').unanswered()).toEqual({ title: 'New' });
});

interface Doc {
  revision: number;
  title: string;
}

/** A record that other clients change each time it is read, with the values `theirs`. */
function startRecord(theirs: readonly string[]) {
  let saved: Doc = { revision: 1, title: 'Old' };
  let reads = 0;
  const write = async (on: Doc) => {
    if (on.revision !== saved.revision) throw refused('precondition_failed', 412);
    saved = { revision: saved.revision + 1, title: 'Mine' };
    return saved;
  };
  const others = () => {
    const title = theirs[reads - 1];
    if (title !== undefined) saved = { revision: saved.revision + 1, title };
  };
  return {
    read: async () => {
      reads++;
      const found = saved;
      others();
      return found;
    },
    write,
    now: () => saved,
    change: () => {
      saved = { revision: saved.revision + 1, title: 'Theirs' };
    },
  };
}

test('a write is repeated on top of other writers’ changes a few times, and never overwrites them', async () => {
  const known = { revision: 1, title: 'Old' };
  const beside = startRecord([]);
  beside.change();
  await updateWithRetry({ saved: known, ...beside, wouldOverwrite: () => false });
  expect(beside.now()).toEqual({ revision: 3, title: 'Mine' });

  const over = startRecord([]);
  over.change();
  const error = await updateWithRetry({
    saved: known,
    ...over,
    wouldOverwrite: ({ title }) => title === 'Theirs',
  }).catch((reason: unknown) => reason);
  expect([isConflict(error), over.now().title]).toEqual([true, 'Theirs']);

  const busy = startRecord(['A', 'B', 'C', 'D']);
  await expect(updateWithRetry({ saved: null, ...busy, wouldOverwrite: () => false })).rejects.toThrow(
    'precondition_failed',
  );
  expect(busy.now().title).toBe('C');
});

test('a row without a known revision is read before it is written', async () => {
  const record = startRecord([]);
  record.change();
  const write = updateWithRetry({
    saved: null,
    ...record,
    wouldOverwrite: ({ title }) => title === 'Theirs',
  });
  await expect(write).rejects.toSatisfy(isConflict);
  expect(record.now().title).toBe('Theirs');
});
