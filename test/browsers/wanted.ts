import { chromium } from './chromium.ts';
import { firefox } from './firefox.ts';
import { webkit } from './webkit.ts';

const names = process.env.BROWSERS?.split(',') ?? [];

/** Browsers that `BROWSERS` lists, separated by commas, or all of them. They may be missing on this machine. */
export const wantedBrowsers = [chromium, firefox, webkit].filter(
  ({ name }) => names.includes('all') || names.includes(name.toLowerCase()),
);
