import type { Theme } from '../../shared/contract/features/theme.ts';
import { found } from '../api/api-error.ts';
import type { Context } from '../api/context.ts';
import { unknownBrowser } from '../api/context.ts';
import type { Deps } from '../api/deps.ts';
import { stylesheetFor } from './style/stylesheet.ts';
import { home } from './views/home.ts';
import { visitOf } from './visit.ts';

/**
 * Renders the home page of the site at `host` with another theme, and its stylesheet separately. Throws `not_found` if
 * the host has no site.
 */
export async function previewHome(deps: Deps, host: string, theme: Theme) {
  const site = { ...found(await deps.findVisitedSite(host)), theme };
  const { body } = await home.render(visitOf(strangerAt(deps, host), site, home));
  const { path, css } = stylesheetFor(theme, deps.responses);
  return { siteId: site.id, html: body.replace(`<link rel="stylesheet" href="${path}">`, ''), css };
}

const strangerAt = (deps: Deps, host: string): Context => ({
  deps,
  surface: 'site',
  client: '',
  browser: unknownBrowser,
  host,
  authorization: undefined,
  origin: undefined,
  referer: undefined,
  memberToken: undefined,
  userAgent: undefined,
  answer: {},
  decisions: [],
  calls: [],
});
