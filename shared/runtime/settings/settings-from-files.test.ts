import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { describeSettings, readSettings } from './read-settings.ts';
import { secretKey } from './variables.ts';

const Settings = z.object({ SECRET_KEY: secretKey, LOG_LEVEL: z.string().optional() });

const secret = 'kept-from-every-message';

async function write(content: string | Buffer) {
  const file = path.join(await mkdtemp(path.join(tmpdir(), 'content-settings-')), 'secret');
  await writeFile(file, content);
  return file;
}

const read = (environment: Record<string, string>) => () => readSettings(Settings, environment);

test.each([
  ['as it is', secret],
  ['without the newline at its end', `${secret}\n`],
  ['without the line ends of Windows', `${secret}\r\n`],
])('the content of a file is a setting, %s', async (_, content) => {
  const file = await write(content);

  expect(readSettings(Settings, { SECRET_KEY_FILE: file })).toEqual({ SECRET_KEY: secret });
  expect(readSettings(Settings, { SECRET_KEY_FILE: file, SECRET_KEY: '' })).toEqual({ SECRET_KEY: secret });
  expect(readSettings(Settings, { SECRET_KEY_FILE: '', SECRET_KEY: secret })).toEqual({ SECRET_KEY: secret });
});

test.each([
  ['an empty file', '\n', 'the file is empty'],
  ['a file above 8 KB', secret.repeat(400), 'the file is larger than 8192 bytes'],
  ['random bytes', Buffer.alloc(32, 0xff), 'the file is not a text in UTF-8'],
])('%s is refused by the name of its setting, without its content', async (_, content, message) => {
  const file = await write(content);

  expect(read({ SECRET_KEY_FILE: file })).toThrow(
    expect.objectContaining({ message: `Invalid settings:\n  SECRET_KEY_FILE: ${message}` }),
  );
});

test.each([
  ['a missing file', `/${secret}`, 'there is no file at this path'],
  ['a folder', tmpdir(), 'the path is not that of a file'],
  ['an impossible path', `${secret}\0`, 'the file cannot be read (ERR_INVALID_ARG_VALUE)'],
])('%s is refused without its path, which may be a secret by mistake', async (_, file, message) => {
  expect(read({ SECRET_KEY_FILE: file })).toThrow(
    expect.objectContaining({ message: `Invalid settings:\n  SECRET_KEY_FILE: ${message}` }),
  );
});

test('a setting and its file are refused together, beside other problems', async () => {
  const environment = { SECRET_KEY_FILE: await write(secret), SECRET_KEY: secret };

  expect(() =>
    readSettings(Settings.extend({ PORT: z.string({ error: 'is required' }) }), environment),
  ).toThrow(
    expect.objectContaining({
      message:
        'Invalid settings:\n  SECRET_KEY_FILE: is set together with SECRET_KEY; remove one of them\n  PORT: is required',
    }),
  );
});

test('an invalid value in a file is reported by the name of the file setting', async () => {
  expect(read({ SECRET_KEY_FILE: await write('short') })).toThrow(
    'SECRET_KEY_FILE: expected at least 16 characters',
  );
});

test('help lists the file setting of each secret, and of no other setting', () => {
  expect(describeSettings(Settings).match(/^ +[A-Z_]+/gm)).toEqual([
    '  SECRET_KEY',
    '  SECRET_KEY_FILE',
    '  LOG_LEVEL',
  ]);
});
