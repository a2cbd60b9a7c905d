import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import type { Browser, Driver, Found, Setting } from './driver.ts';
import { ended } from './ended.ts';
import { codeOf } from './keys.ts';

const firefoxPath = process.env.FIREFOX ?? '/usr/bin/firefox-esr';

/** The system's Firefox without a window, driven by WebDriver BiDi. */
export const firefox: Browser = {
  name: 'Firefox',
  missing: existsSync(firefoxPath) ? null : 'firefox-esr, or FIREFOX with the path of another',
  // Without a screen no window has the focus, so keys do not press buttons.
  lacks: ['the keyboard'],
  over: 'http',
  start: startFirefox,
};

/** Preferences for settings that the protocol does not support. */
const preferencesOf = ({ scheme, zoom = 1, hasForcedColors = false }: Setting) => ({
  'layout.css.prefers-color-scheme.content-override': scheme === 'dark' ? 0 : 1,
  'layout.css.devPixelsPerPx': String(zoom),
  // 2 uses the user's colors, 1 the page's.
  'browser.display.document_color_use': hasForcedColors ? 2 : 1,
});

async function startFirefox(setting: Setting): Promise<Driver> {
  await using stack = new AsyncDisposableStack();
  const profile = await mkdtemp(path.join(tmpdir(), 'creator-content-firefox-'));
  stack.defer(() => rm(profile, { recursive: true, force: true, maxRetries: 5 }));
  const lines = Object.entries(preferencesOf(setting)).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
  );
  await writeFile(path.join(profile, 'user.js'), lines.join('\n'));
  const browser = spawn(
    firefoxPath,
    ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  stack.defer(() => ended(browser));
  const socket = new WebSocket(`${await addressOf(browser)}/session`);
  await once(socket, 'open');
  const driver = await openPage(commandsTo(socket), setting);
  const cleanUp = stack.move();
  return { ...driver, [Symbol.asyncDispose]: () => cleanUp.disposeAsync() };
}

async function addressOf({ stderr }: ChildProcess): Promise<string> {
  if (!stderr) throw new Error('the error output of Firefox is not piped');
  for await (const line of createInterface(stderr)) {
    const address = /listening on (ws:\S+)/.exec(line)?.[1];
    if (address) {
      // An unread pipe would fill up and block the process.
      stderr.resume();
      return address;
    }
  }
  throw new Error('Firefox exited before it opened its debugging port');
}

const Answer = z.object({
  id: z.number(),
  type: z.string(),
  result: z.unknown().optional(),
  message: z.string().optional(),
});

function commandsTo(socket: WebSocket) {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  socket.addEventListener('message', ({ data }) => {
    const { success, data: answer } = Answer.safeParse(JSON.parse(String(data)));
    if (!success) return;
    const requested = waiting.get(answer.id);
    waiting.delete(answer.id);
    if (answer.type === 'success') requested?.resolve(answer.result);
    else requested?.reject(new Error(answer.message));
  });
  let id = 0;
  return (method: string, params: object = {}) => {
    id += 1;
    const answer = Promise.withResolvers<unknown>();
    waiting.set(id, answer);
    socket.send(JSON.stringify({ id, method, params }));
    return answer.promise;
  };
}

const Tree = z.object({ contexts: z.array(z.object({ context: z.string() })).min(1) });
const Called = z.object({
  type: z.string(),
  exceptionDetails: z.object({ text: z.string() }).optional(),
  result: z
    .object({ type: z.string(), value: z.unknown().optional(), sharedId: z.string().optional() })
    .optional(),
});
const Image = z.object({ data: z.string() });

async function openPage(send: ReturnType<typeof commandsTo>, { width, zoom = 1 }: Setting) {
  await send('session.new', { capabilities: {} });
  const { contexts } = Tree.parse(await send('browsingContext.getTree'));
  const context = contexts[0]?.context;
  const viewport = { width: width / zoom, height: 900 / zoom };
  await send('browsingContext.setViewport', { context, viewport });
  const call = async (functionDeclaration: string, given: readonly object[] = []) => {
    const params = { functionDeclaration, arguments: given, target: { context }, awaitPromise: true };
    const { result, exceptionDetails } = Called.parse(await send('script.callFunction', params));
    if (exceptionDetails) throw new Error(exceptionDetails.text);
    return result;
  };
  const act = (...actions: object[]) => send('input.performActions', { context, actions });
  const keys = (codes: readonly string[]) =>
    act({
      type: 'key',
      id: 'keyboard',
      actions: [
        ...codes.map((value) => ({ type: 'keyDown', value })),
        ...codes.toReversed().map((value) => ({ type: 'keyUp', value })),
      ],
    });
  const type = async (text: string) => {
    for (const letter of text) await keys([letter]);
  };
  return {
    go: async (url: string) =>
      void (await send('browsingContext.navigate', { context, url, wait: 'complete' })),
    back: async () =>
      void (await send('browsingContext.traverseHistory', { context, delta: -1 }).catch(() => null)),
    async run<Given extends readonly unknown[], Result>(
      inPage: (...given: Given) => Result,
      ...given: Given
    ): Promise<Result> {
      const found = await call(`() => JSON.stringify((${inPage})(...${JSON.stringify(given)})) ?? 'null'`);
      // The function's result, passed as JSON.
      return JSON.parse(String(found?.value)) as Result;
    },
    async find<Given extends readonly unknown[]>(
      inPage: (...given: Given) => Element | null,
      ...given: Given
    ): Promise<Found | null> {
      const found = await call(`() => (${inPage})(...${JSON.stringify(given)})`);
      const sharedId = found?.sharedId;
      if (!sharedId) return null;
      const element = { sharedId };
      const click = async () => {
        await call(`(element) => element.scrollIntoView({ block: 'nearest', behavior: 'instant' })`, [
          element,
        ]);
        const to = { type: 'pointerMove', x: 0, y: 0, origin: { type: 'element', element } };
        const press = [
          { type: 'pointerDown', button: 0 },
          { type: 'pointerUp', button: 0 },
        ];
        await act({ type: 'pointer', id: 'mouse', actions: [to, ...press] });
      };
      return {
        click,
        fill: async (text) => {
          await call('(element) => { element.focus(); element.select?.(); }', [element]);
          await type(text);
        },
        chooseFile: async (file) => void (await send('input.setFiles', { context, element, files: [file] })),
      };
    },
    type,
    press: async (key: string, held?: 'Shift') =>
      void (await keys([...(held ? [held] : []), key].map(codeOf))),
    async picture() {
      const { data } = Image.parse(await send('browsingContext.captureScreenshot', { context }));
      return Buffer.from(data, 'base64');
    },
  };
}
