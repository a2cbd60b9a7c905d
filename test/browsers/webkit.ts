import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { eventually } from '../support/eventually.ts';
import { findFreePort } from '../support/process.ts';
import type { Browser, Driver, Found, Setting } from './driver.ts';
import { ended } from './ended.ts';
import { codeOf } from './keys.ts';

const driverPath = '/usr/bin/WebKitWebDriver';
const screenPath = '/usr/bin/Xvfb';
const browserPath = () => globSync('/usr/lib/*/webkit2gtk-4.1/MiniBrowser')[0];

/** WebKitGTK, which has Safari's engine, driven by WebDriver on a virtual screen. */
export const webkit: Browser = {
  name: 'WebKit',
  missing:
    existsSync(driverPath) && existsSync(screenPath) && browserPath() ? null : 'webkit2gtk-driver and xvfb',
  // Without a window manager Tab does not reach the page.
  lacks: ['the keyboard', 'forced colours'],
  // Over plain HTTP, WebKit keeps even `no-store` pages for Back.
  over: 'https',
  start: startWebKit,
};

/** Smallest possible toolbars, so that the window can be as narrow as a phone. */
const smallBars =
  '* { min-width: 0; min-height: 0; padding: 0; margin: 0; font-size: 4px; border-width: 0; }';
const smallIcons =
  '[Settings]\ngtk-icon-sizes=gtk-button=4,4:gtk-small-toolbar=4,4:gtk-large-toolbar=4,4:gtk-menu=4,4';

async function startWebKit({ scheme, width, zoom = 1 }: Setting): Promise<Driver> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(path.join(tmpdir(), 'creator-content-webkit-'));
  stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  await mkdir(path.join(folder, 'gtk-3.0'));
  await writeFile(path.join(folder, 'gtk-3.0/gtk.css'), smallBars);
  await writeFile(path.join(folder, 'gtk-3.0/settings.ini'), smallIcons);

  const screen = spawn(screenPath, ['-displayfd', '3', '-screen', '0', '1400x1000x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  stack.defer(() => ended(screen));
  const shown = screen.stdio[3];
  if (!shown) throw new Error('the output of Xvfb is not piped');
  const [display] = await once(shown, 'data');
  const port = await findFreePort();
  const service = spawn(driverPath, [`--port=${port}`], {
    stdio: 'ignore',
    env: {
      ...process.env,
      DISPLAY: `:${String(display).trim()}`,
      XDG_CONFIG_HOME: folder,
      XDG_CACHE_HOME: folder,
      XDG_DATA_HOME: folder,
      GTK_THEME: scheme === 'dark' ? 'Adwaita:dark' : 'Adwaita',
      GDK_BACKEND: 'x11',
      GDK_SCALE: String(zoom),
      LIBGL_ALWAYS_SOFTWARE: '1',
      // A container does not have the rights to create a sandbox.
      WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
    },
  });
  stack.defer(() => ended(service));
  const driver = await openSession(`http://127.0.0.1:${port}`, stack);
  await driver.resize(width / zoom, 900 / zoom);
  const cleanUp = stack.move();
  return { ...driver, [Symbol.asyncDispose]: () => cleanUp.disposeAsync() };
}

const Answer = z.object({ value: z.unknown().optional() });
const Session = z.object({ sessionId: z.string() });
/** Key of an element reference in the protocol. */
const elementKey = 'element-6066-11e4-a52e-4f735466cecf';
const Element = z.object({ [elementKey]: z.string() }).nullable();

async function openSession(service: string, stack: AsyncDisposableStack) {
  const send = async (method: string, to: string, body?: object): Promise<unknown> => {
    const init = method === 'POST' ? { method, body: JSON.stringify(body ?? {}) } : { method };
    const response = await fetch(`${service}${to}`, init);
    const { value } = Answer.parse(await response.json());
    if (!response.ok) throw new Error(`${method} ${to}: ${JSON.stringify(value)}`);
    return value;
  };
  await eventually(() => send('GET', '/status').catch(() => null));
  const options = { binary: browserPath(), args: ['--automation'] };
  const capabilities = { alwaysMatch: { acceptInsecureCerts: true, 'webkitgtk:browserOptions': options } };
  const { sessionId } = Session.parse(await send('POST', '/session', { capabilities }));
  const at = `/session/${sessionId}`;
  stack.defer(async () => void (await send('DELETE', at)));
  const post = (to: string, body?: object) => send('POST', at + to, body);
  const execute = (inPage: unknown, given: readonly unknown[]) =>
    post('/execute/sync', { script: `return (${inPage})(...arguments)`, args: given });
  const keys = async (codes: readonly string[]) => {
    const down = codes.map((value) => ({ type: 'keyDown', value }));
    const up = codes.toReversed().map((value) => ({ type: 'keyUp', value }));
    await post('/actions', { actions: [{ type: 'key', id: 'keyboard', actions: [...down, ...up] }] });
  };
  return {
    go: async (url: string) => void (await post('/url', { url })),
    back: async () => void (await post('/back')),
    resize: async (width: number, height: number) => void (await post('/window/rect', { width, height })),
    // The caller's type is trusted: the protocol carries JSON.
    run: async <Given extends readonly unknown[], Result>(
      inPage: (...given: Given) => Result,
      ...given: Given
    ) => (await execute(inPage, given)) as Result,
    async find<Given extends readonly unknown[]>(
      inPage: (...given: Given) => globalThis.Element | null,
      ...given: Given
    ): Promise<Found | null> {
      const element = Element.parse(await execute(inPage, given));
      if (!element) return null;
      const to = `/element/${element[elementKey]}`;
      return {
        click: async () => void (await post(`${to}/click`)),
        fill: async (text) => {
          await post(`${to}/clear`);
          await post(`${to}/value`, { text });
        },
        chooseFile: async (file) => void (await post(`${to}/value`, { text: file })),
      };
    },
    type: async (text: string) => {
      for (const letter of text) await keys([letter]);
    },
    press: (key: string, held?: 'Shift') => keys([...(held ? [held] : []), key].map(codeOf)),
    picture: async () => Buffer.from(z.string().parse(await send('GET', `${at}/screenshot`)), 'base64'),
  };
}
