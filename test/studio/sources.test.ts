import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const studioDir = join(import.meta.dirname, '../../client/studio');

/** Returns the studio’s files that contain `pattern` outside of comments. */
async function filesWith(pattern: RegExp): Promise<string[]> {
  const found: string[] = [];
  for await (const file of glob('**/*.{ts,tsx}', {
    cwd: studioDir,
    exclude: ['node_modules/**', 'dist/**', 'build/**'],
  })) {
    const source = await readFile(join(studioDir, file), 'utf8');
    const code = source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
    if (pattern.test(code)) found.push(file);
  }
  return found.sort();
}

test('browser storage is accessed only by the module that separates accounts', async () => {
  const storages =
    /\b(localStorage|sessionStorage|indexedDB|cookieStore|caches)\b|document\.cookie|window\.name\b|serviceWorker|useLocalStorage|useSessionStorage/;
  expect(await filesWith(storages)).toEqual(['ui/browser-storage.ts']);
});

test('features of secure contexts are used only by the module that replaces them on plain HTTP', async () => {
  const ofSecureContexts =
    /\brandomUUID\b|crypto\s*\.\s*subtle\b|\bcrossOriginIsolated\b|navigator\s*\??\.\s*(clipboard|locks|storage|credentials|share|canShare|mediaDevices|geolocation|wakeLock|gpu|usb|serial|bluetooth|keyboard)\b|\b(CopyButton|useClipboard|ClipboardItem|PaymentRequest|PublicKeyCredential|Notification)\b|show(Open|Save)FilePicker|showDirectoryPicker/;
  expect(await filesWith(ofSecureContexts)).toEqual(['ui/browser.ts']);
});

test('code is loaded on demand only by the module that retries', async () => {
  expect(await filesWith(/\blazy\s*\(|lazyRouteComponent|React\.lazy/)).toEqual([]);
});

test('every creation is sent with its idempotency key, except sign-in, which creates a new session each time', async () => {
  const unkeyed = /\b(create|record|rotate|rotateSecret|replay)\.mutate\((?![^;]{0,80}\boptions\b)/;
  expect(await filesWith(unkeyed)).toEqual(['screens/session/sign-in-form.tsx']);
});

test('every change names the revision that it is based on', async () => {
  const unconditional = /\bupdate\.mutate\((?![^;]{0,160}\b(options|ifMatch)\b)/;
  expect(await filesWith(unconditional)).toEqual(blindWrites.map(([file]) => file));
});

/** Writes without a precondition, with the reason why they overwrite no typed text. */
const blindWrites = [
  ['screens/api-keys/keys-page.tsx', 'a switch, which is set to what its owner sees it set to'],
  ['screens/assistants/assistants-page.tsx', 'a switch, and the scopes of a key that was made just now'],
  ['screens/assistants/connected-assistants.tsx', 'boxes, which are set to what somebody sees them set to'],
  [
    'screens/audience/subscribers-page.tsx',
    'the end of a subscription, which holds whatever else has changed',
  ],
  ['screens/curriculum/part-dialog.tsx', 'what was typed into a part that was made just now'],
  ['screens/media/media-page.tsx', 'a switch, which is set after a confirmation'],
  ['screens/people/people-page.tsx', 'one choice, which is set to what its owner sees it set to'],
  ['screens/selling/memberships-page.tsx', 'one address, which is set to what was typed'],
  ['screens/selling/purchases-page.tsx', 'one address, which is set to what was typed, and a switch'],
  ['screens/testimonials/testimonials-page.tsx', 'a switch'],
  ['screens/webhooks/webhook-page.tsx', 'a switch'],
] as const;
